// The error of a state after a hundred million tokens: the serving state beside the paper's literal state, both against
// long doubles, and the price of the exactness.

#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "absl/time/time.h"
#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/network/fold.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_size.h"
#include "tests/bench/engine/plain_fold.h"
#include "tests/bench/engine/step_load.h"
#include "tests/bench/engine/step_shape.h"
#include "tests/bench/turns.h"

namespace aaren::bench {

const char kNumericsNote[] =
    R"(the attention of one layer of the bundled model's size, without forgetting or rotation, so that every token counts to
the end. Scores are normal with deviation 1, values normal around 1; with a shift they are around 3 from half-way on.
served: o = a / c, m and c in doubles; plain: a, c and m in floats. relative_error: the largest of 16 outputs of the
first head, against sums in long doubles. nanoseconds: of one token in one layer. step_ratio: a forecast with the state
that serves, over the same with its layers' folds as cheap as the plain one.)";

namespace {

constexpr size_t kHeads = 8, kWidth = 128, kChecked = 16;
constexpr int kLongest = 100'000'000;

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Tokens drawn beforehand and gone through in two loops of coprime lengths: pairs of score and value repeat after four
// billion tokens only.
class Tokens {
 public:
  explicit Tokens(size_t count) : shift_at_(count / 2), scores_(kScores * kLine), values_(kValues * kWidth) {
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal;
    for (float& score : scores_) score = normal(random);
    for (float& value : values_) value = 1.0f + normal(random);
    shifted_ = values_;
    for (float& value : shifted_) value += 2.0f;
  }

  const float* scores(size_t t) const { return scores_.data() + t % kScores * kLine; }
  const float* values(size_t t, bool shift) const {
    return (shift && t >= shift_at_ ? shifted_ : values_).data() + t % kValues * kWidth;
  }

 private:
  static constexpr size_t kScores = 4093, kValues = 4091;  // primes
  static constexpr size_t kLine = 16;                      // a token's scores
  const size_t shift_at_;
  std::vector<float> scores_, values_, shifted_;
};

// The reference of every state: sums of the first head's outputs. Scores are small: nothing overflows.
class LongSums {
 public:
  void Fold(const float* scores, const float* values) {
    const long double weight = std::exp(static_cast<double>(scores[0]));
    weight_ += weight;
    for (size_t i = 0; i < kChecked; ++i) sums_[i] += weight * static_cast<long double>(values[i]);
  }
  double output(size_t i) const { return static_cast<double>(sums_[i] / weight_); }

 private:
  long double weight_ = 0, sums_[kChecked] = {};
};

// The engine's own fold.
class ServedFold {
 public:
  ServedFold()
      : ageing_({.heads = kHeads, .value_width = kWidth, .fold_every = 1}, {{kHeads}, std::vector<float>(kHeads, 0.0f)},
                {{1, kWidth / 2}, std::vector<float>(kWidth / 2, 1.0f)},
                {{1, kWidth / 2}, std::vector<float>(kWidth / 2, 0.0f)}),
        scratch_(kHeads, kWidth),
        output_(kWidth, 0.0),
        weight_(kHeads, 0.0),
        peak_(kHeads, -std::numeric_limits<double>::infinity()) {}

  void Fold(const float* scores, const float* values, float* out) {
    engine::LayerFold(ageing_, scratch_)
        .Fold({.age = 1, .scores = scores, .values = values}, {output_.data(), weight_.data(), peak_.data()}, out);
  }

 private:
  const engine::Ageing ageing_;
  engine::FoldScratch scratch_;
  std::vector<double> output_, weight_, peak_;
};

struct Folded {
  std::vector<float> output = std::vector<float>(kWidth);
  double seconds = 0;  // a token
};

template <typename State>
Folded FoldAll(State& state, const Tokens& tokens, size_t count, bool shift) {
  Folded folded;
  const double begin = ThreadSeconds();
  for (size_t t = 0; t < count; ++t) state.Fold(tokens.scores(t), tokens.values(t, shift), folded.output.data());
  folded.seconds = (ThreadSeconds() - begin) / static_cast<double>(count);
  return folded;
}

double RelativeError(const Folded& folded, const LongSums& sums) {
  double worst = 0;
  for (size_t i = 0; i < kChecked; ++i) {
    worst = std::max(worst, std::abs(folded.output[i] - sums.output(i)) / std::abs(sums.output(i)));
  }
  return worst;
}

// Seconds of a forecast of the bundled model, 64 at once, and its layers.
struct StepTime {
  double seconds;
  int layers;
};

absl::StatusOr<StepTime> TimeStep() {
  const absl::StatusOr<package::ModelPackage> package = package::LoadPackage(AAREN_BUNDLED_MODEL);
  if (!package.ok()) return package.status();
  const absl::StatusOr<std::unique_ptr<engine::Engine>> engine = engine::NewCpuEngine(*package);
  if (!engine.ok()) return engine.status();
  constexpr size_t kBatch = 64;
  StepLoad load(**engine, package->config.fold_every, kBatch);
  const std::vector<double> best =
      TimeInTurns({[&] { load.Forecast(kBatch, 17); }}, {.runs = 5, .seconds = 0.3, .clock = CLOCK_THREAD_CPUTIME_ID});
  return StepTime{best[0] / (17 * kBatch), package->config.layers};
}

Row ToRow(size_t count, bool shift, const char* state, const Folded& folded, const LongSums& sums) {
  return {{"tokens", static_cast<int64_t>(count)},
          {"state", std::string(state)},
          {"shift", std::string(shift ? "of the mean" : "none")},
          {"relative_error", RelativeError(folded, sums)},
          {"nanoseconds", folded.seconds * 1e9}};
}

void AddRows(size_t count, bool shift, const StepTime& step, std::vector<Row>& rows) {
  const Tokens tokens(count);
  LongSums sums;
  for (size_t t = 0; t < count; ++t) sums.Fold(tokens.scores(t), tokens.values(t, shift));
  ServedFold served_state;
  PlainFold plain_state(kHeads, kWidth);
  const Folded served = FoldAll(served_state, tokens, count, shift);
  const Folded plain = FoldAll(plain_state, tokens, count, shift);
  const double saved = step.layers * (served.seconds - plain.seconds);
  rows.push_back(ToRow(count, shift, "served", served, sums));
  rows.back().emplace_back("step_ratio", step.seconds / (step.seconds - saved));
  rows.push_back(ToRow(count, shift, "plain", plain, sums));
  rows.back().emplace_back("step_ratio", std::monostate());
}

}  // namespace

absl::StatusOr<std::vector<Row>> RunNumericsBench() {
  const absl::StatusOr<StepTime> step = TimeStep();
  if (!step.ok()) return step.status();
  const int most = BenchTokens(kLongest);
  std::vector<Row> rows;
  for (const int count : {most / 100, most / 10, most}) {
    for (const bool shift : {false, true}) AddRows(static_cast<size_t>(std::max(count, 1)), shift, *step, rows);
  }
  return rows;
}

}  // namespace aaren::bench
