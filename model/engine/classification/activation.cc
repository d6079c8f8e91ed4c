#include "model/engine/classification/activation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "model/math/doubles.h"

namespace aaren::classification {
namespace {

// erfc(z) = t exp(-z^2 + P(t)) with t = 1 / (1 + z / 2), within 1.2e-7 of its value for all z >= 0 (Press et al.,
// "Numerical Recipes in C", 1992, section 6.2).
constexpr double kPolynomial[] = {-1.26551223, 1.00002368,  0.37409196, 0.09678418,  -0.18628806,
                                  0.27886807,  -1.13520398, 1.48851587, -0.82215223, 0.17087277};

double Sum(const double (&numbers)[kWidth]) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum;
}

}  // namespace

void Gelu(size_t count, float* x) {
  double t[kHidden] = {}, exponent[kHidden] = {};
  for (size_t i = 0; i < count; ++i) {
    const double z = std::abs(static_cast<double>(x[i])) * (0.5 * std::numbers::sqrt2);
    t[i] = 1 / (1 + 0.5 * z);
    double p = 0;
    for (size_t k = std::size(kPolynomial); k > 0; --k) p = kPolynomial[k - 1] + t[i] * p;
    exponent[i] = p - z * z;
  }
  math::Exp(exponent, count, exponent);
  for (size_t i = 0; i < count; ++i) {
    const double beyond = 0.5 * t[i] * exponent[i];  // P(a standard normal number is above |x|)
    x[i] = static_cast<float>(x[i] * (x[i] < 0 ? beyond : 1 - beyond));
  }
}

void LayerNorm(const float* x, const float* added, const Norm& norm, float* out) {
  double s[kWidth], squares[kWidth];
  for (size_t j = 0; j < kWidth; ++j) s[j] = static_cast<double>(x[j]) + (added == nullptr ? 0.0 : added[j]);
  const double mean = Sum(s) / kWidth;
  for (size_t j = 0; j < kWidth; ++j) s[j] -= mean;
  for (size_t j = 0; j < kWidth; ++j) squares[j] = s[j] * s[j];
  const double inverse = 1 / std::sqrt(Sum(squares) / kWidth + kEpsilon);
  for (size_t j = 0; j < kWidth; ++j) out[j] = static_cast<float>(s[j] * inverse * norm.gain[j] + norm.offset[j]);
}

void Softmax(const double* logits, size_t count, double* work, float* probabilities) {
  const double most = *std::max_element(logits, logits + count);
  for (size_t c = 0; c < count; ++c) work[c] = logits[c] - most;
  math::Exp(work, count, work);
  double sum = 0;
  for (size_t c = 0; c < count; ++c) sum += work[c];
  for (size_t c = 0; c < count; ++c) probabilities[c] = static_cast<float>(work[c] / sum);
}

}  // namespace aaren::classification
