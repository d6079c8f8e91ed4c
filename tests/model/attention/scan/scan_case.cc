#include "tests/model/attention/scan/scan_case.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/model/rounding.h"

namespace aaren::attention {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kGuard = 32;            // numbers after every array that no kernel may write
constexpr double kUntouched = 7;      // the content of guards and of gaps between rows
constexpr double kUnderflow = 1e-37;  // the end of the range of float

// A share's error reaches every later weight, and an output of n tokens has ln n further errors beside its own. A share
// takes some 80 roundings in warps of 32, and roundings of exponents, which are deeper than 80 only in double.
template <typename Float>
double Tolerance(const ScanShape& shape) {
  constexpr double kUnit = sizeof(Float) == 4 ? kFloatUnit : kDoubleUnit;
  return Gamma(80 + DeepestExponent(kUnit), kUnit) * (2 + std::log(static_cast<double>(shape.tokens)));
}

std::string Name(const char* array, int64_t index) { return std::string(array) + "[" + std::to_string(index) + "]"; }

// Calls visit(sequence, series, head) for each sequence.
template <typename Visit>
void ForEachSequence(const ScanShape& shape, Visit visit) {
  for (int64_t sequence = 0; sequence < shape.series * shape.heads; ++sequence) {
    visit(sequence, sequence / shape.heads, sequence % shape.heads);
  }
}

}  // namespace

void Worst::Compare(const std::string& where, double got, double wanted, double tolerated) {
  const double distance = std::abs(got - wanted);
  const double share = distance == 0 ? 0 : std::isfinite(distance) ? distance / tolerated : kInfinity;
  if (share <= worst) return;
  worst = share;
  place = where + " is " + std::to_string(got) + ", not " + std::to_string(wanted);
}

template <typename Float>
ScanCase<Float>::ScanCase(const ScanCaseOptions& options) : options_(options) {
  const ScanShape& shape = options.shape;
  std::mt19937_64 random(shape.tokens * 1009 + shape.width);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  values_ = Place(0), outputs_ = Place(3), gradients_ = Place(5), value_gradients_ = Place(1);
  for (Float& number : values_.numbers) number = static_cast<Float>(normal(random));
  for (Float& number : gradients_.numbers) number = static_cast<Float>(normal(random));
  const int64_t tokens = shape.series * shape.heads * shape.tokens;
  scores_.resize(tokens);
  for (Float& score : scores_) score = static_cast<Float>(normal(random) * options.score_scale);
  shares_ = score_gradients_ = std::vector<Float>(tokens + kGuard, kUntouched);
  for (int64_t i = 0; i < shape.tokens; ++i) elapsed_.push_back(i == 0 ? 0 : static_cast<Float>(3 * uniform(random)));
  for (int64_t h = 0; h < shape.heads; ++h) decay_.push_back(static_cast<Float>(h * 0.02));
  ForEachSequence(shape, [&](int64_t sequence, int64_t series, int64_t head) {
    for (int64_t i = 0; i < shape.tokens; ++i) {
      if (i >= options.masked_first && uniform(random) >= options.masked) continue;
      scores_[sequence * shape.tokens + i] = static_cast<Float>(-kInfinity);
      std::fill_n(values_.numbers.begin() + values_.At(series, head, i), shape.width, std::nan(""));
    }
  });
}

template <typename Float>
typename ScanCase<Float>::Array ScanCase<Float>::Place(int64_t gap) const {
  const ScanShape& shape = options_.shape;
  const int64_t row = shape.width + gap;
  Array array;
  array.strides = options_.token_major ? ScanStrides{shape.tokens * shape.heads * row, row, shape.heads * row}
                                       : ScanStrides{shape.heads * shape.tokens * row, shape.tokens * row, row};
  array.numbers.assign(shape.series * array.strides.series + kGuard, kUntouched);
  return array;
}

template <typename Float>
int64_t ScanCase<Float>::Array::At(int64_t series, int64_t head, int64_t token) const {
  return series * strides.series + head * strides.head + token * strides.token;
}

template <typename Float>
ScanForward<Float> ScanCase<Float>::forward() {
  return {options_.shape,
          scores_.data(),
          options_.forgets ? elapsed_.data() : nullptr,
          options_.forgets ? decay_.data() : nullptr,
          values_.numbers.data(),
          values_.strides,
          outputs_.numbers.data(),
          outputs_.strides,
          shares_.data()};
}

template <typename Float>
ScanBackward<Float> ScanCase<Float>::backward() {
  return {options_.shape,
          shares_.data(),
          values_.numbers.data(),
          values_.strides,
          outputs_.numbers.data(),
          outputs_.strides,
          gradients_.numbers.data(),
          gradients_.strides,
          score_gradients_.data(),
          value_gradients_.numbers.data(),
          value_gradients_.strides};
}

template <typename Float>
std::vector<std::vector<Float>*> ScanCase<Float>::arrays() {
  return {&scores_,          &elapsed_,           &decay_,
          &shares_,          &score_gradients_,   &values_.numbers,
          &outputs_.numbers, &gradients_.numbers, &value_gradients_.numbers};
}

// Row k of the dense definition: the weights of tokens 0 .. k, all 0 if all tokens are masked.
template <typename Float>
std::vector<double> ScanCase<Float>::Weights(int64_t sequence, int64_t k) const {
  const Float* scores = scores_.data() + sequence * options_.shape.tokens;
  const double decay = options_.forgets ? decay_[sequence % options_.shape.heads] : 0;
  std::vector<double> weights(k + 1);
  double age = 0, highest = -kInfinity, sum = 0;
  for (int64_t i = k; i >= 0; --i) {
    weights[i] = scores[i] - decay * age;
    highest = std::max(highest, weights[i]);
    age += elapsed_[i];
  }
  for (double& weight : weights) sum += weight = highest == -kInfinity ? 0 : std::exp(weight - highest);
  for (double& weight : weights) weight = sum == 0 ? 0 : weight / sum;
  return weights;
}

template <typename Float>
Worst ScanCase<Float>::CheckForward() const {
  const ScanShape& shape = options_.shape;
  const double tolerance = Tolerance<Float>(shape);
  Worst worst;
  Array untouched = outputs_;
  ForEachSequence(shape, [&](int64_t sequence, int64_t series, int64_t head) {
    for (int64_t k = 0; k < shape.tokens; ++k) {
      const std::vector<double> weights = Weights(sequence, k);
      const int64_t share = sequence * shape.tokens + k;
      worst.Compare(Name("shares", share), shares_[share], weights[k], weights[k] * tolerance + kUnderflow);
      for (int64_t d = 0; d < shape.width; ++d) {
        double output = 0, scale = 0;
        for (int64_t i = 0; i <= k; ++i) {
          if (weights[i] == 0) continue;
          const double term = weights[i] * values_.numbers[values_.At(series, head, i) + d];
          output += term, scale += std::abs(term);
        }
        const int64_t at = outputs_.At(series, head, k) + d;
        worst.Compare(Name("outputs", at), outputs_.numbers[at], output, scale * tolerance);
        untouched.numbers[at] = kUntouched;
      }
    }
  });
  for (Float number : untouched.numbers) worst.Compare("a gap of outputs", number, kUntouched, 0);
  for (int i = 1; i <= kGuard; ++i) worst.Compare("the end of shares", *(shares_.end() - i), kUntouched, 0);
  return worst;
}

// The dense gradients of one sequence, and the sums of their terms' magnitudes.
template <typename Float>
typename ScanCase<Float>::Gradients ScanCase<Float>::Dense(int64_t sequence, int64_t series, int64_t head) const {
  const ScanShape& shape = options_.shape;
  Gradients dense;
  for (std::vector<double>* sums : {&dense.scores, &dense.score_scales}) sums->assign(shape.tokens, 0);
  for (std::vector<double>* sums : {&dense.values, &dense.value_scales}) sums->assign(shape.tokens * shape.width, 0);
  for (int64_t k = 0; k < shape.tokens; ++k) {
    const std::vector<double> weights = Weights(sequence, k);
    const Float* gradient = gradients_.numbers.data() + gradients_.At(series, head, k);
    for (int64_t d = 0; d < shape.width; ++d) {
      const auto value = [&](int64_t i) { return double{values_.numbers[values_.At(series, head, i) + d]}; };
      double output = 0;
      for (int64_t i = 0; i <= k; ++i) output += weights[i] == 0 ? 0 : weights[i] * value(i);
      for (int64_t i = 0; i <= k; ++i) {
        if (weights[i] == 0) continue;
        const double pull = weights[i] * gradient[d];
        dense.values[i * shape.width + d] += pull;
        dense.value_scales[i * shape.width + d] += std::abs(pull);
        dense.scores[i] += pull * (value(i) - output);
        dense.score_scales[i] += std::abs(pull) * (std::abs(value(i)) + std::abs(output));
      }
    }
  }
  return dense;
}

// The kernels know 1 - p only as exactly as a rounded p tells. So later tokens' values may reach a token with an error
// of the later values' size.
template <typename Float>
Worst ScanCase<Float>::CheckBackward() const {
  const ScanShape& shape = options_.shape;
  const double tolerance = Tolerance<Float>(shape);
  Worst worst;
  Array untouched = value_gradients_;
  ForEachSequence(shape, [&](int64_t sequence, int64_t series, int64_t head) {
    const Gradients dense = Dense(sequence, series, head);
    std::vector<double> later(shape.width + 1);  // the largest scales of later tokens
    for (int64_t i = shape.tokens - 1; i >= 0; --i) {
      const int64_t score = sequence * shape.tokens + i;
      const auto tolerated = [&](double scale, double& largest) {
        const double tolerated = (scale + shares_[score] * largest) * tolerance + kUnderflow;
        largest = std::max(largest, scale);
        return tolerated;
      };
      worst.Compare(Name("score_gradients", score), score_gradients_[score], dense.scores[i],
                    tolerated(dense.score_scales[i], later[shape.width]));
      for (int64_t d = 0; d < shape.width; ++d) {
        const int64_t at = value_gradients_.At(series, head, i) + d, row = i * shape.width + d;
        worst.Compare(Name("value_gradients", at), value_gradients_.numbers[at], dense.values[row],
                      tolerated(dense.value_scales[row], later[d]));
        untouched.numbers[at] = kUntouched;
      }
    }
  });
  for (Float number : untouched.numbers) worst.Compare("a gap of value_gradients", number, kUntouched, 0);
  for (int i = 1; i <= kGuard; ++i) {
    worst.Compare("the end of score_gradients", *(score_gradients_.end() - i), kUntouched, 0);
  }
  return worst;
}

template class ScanCase<float>;
template class ScanCase<double>;

}  // namespace aaren::attention
