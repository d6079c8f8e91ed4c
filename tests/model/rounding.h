#ifndef AAREN_TESTS_MODEL_ROUNDING_H_
#define AAREN_TESTS_MODEL_ROUNDING_H_

// Bounds of the distance that rounding may put between two ways to compute a number, from the number of operations.
// Tests that compare two ways use these bounds. Libraries sum in an order that depends on the CPU, so a distance seen
// on one machine bounds nothing. See Higham, "Accuracy and Stability of Numerical Algorithms", chapters 3 and 4; Higham
// and Mary 2019.
//
// `unit` is the largest relative error of one operation. All bounds are relative. For a sum, a bound is relative to the
// sum of the terms' magnitudes.

#include <algorithm>
#include <cmath>

namespace aaren {

inline constexpr double kFloatUnit = 0x1p-24, kDoubleUnit = 0x1p-53;

// n roundings in the same direction: gamma_n.
constexpr double Gamma(double n, double unit) { return n * unit / (1 - n * unit); }

// n roundings of random numbers in random directions: within eight standard deviations, except for one in 10^14.
inline double LikelyGamma(double n, double unit) { return std::min(Gamma(n, unit), 8 * std::sqrt(n) * unit); }

// A smaller exponent has an exponential of 0. So no weight has a larger exponent, nor a larger error by its rounding.
constexpr double DeepestExponent(double unit) { return unit == kFloatUnit ? 104 : 745; }

// An average of `tokens` values, weighed by the exponentials of their scores, in any form. For each of the other
// tokens, a token passes at most two exponentials (2 units each), two products and two sums. The count holds for
// numerator and denominator, and for any order of folding, combining or summing. The exponents add up to the token's
// final distance from the maximum.
inline double SoftmaxRounding(double tokens, double unit) {
  return LikelyGamma(16 * tokens, unit) + 2 * DeepestExponent(unit) * unit;
}

// The same average for scores that fall with age in steps, from at most `largest`. Each step rounds the score once
// more.
inline double ForgettingRounding(double tokens, double largest, double unit) {
  return SoftmaxRounding(tokens, unit) + 2 * largest * LikelyGamma(tokens, unit);
}

// The fused scan in float32: shares are sums of at most 64 tokens in float and of all tiles in double, some 80
// roundings with their exponentials and quotient. A weight is a share times (1 - p) of all later tokens, so a weight
// takes on the error of their sum: for equal weights 1 / 2 + 1 / 3 + ... < ln n.
inline double ScanRounding(double tokens) { return Gamma(80, kFloatUnit) * (2 + std::log(tokens)); }

// A network of `layers`, each an attention over `tokens` and four products of depth `width`, relative to the size of
// the outputs. A layer may pass on four times the error of its input: once along the residual, three times through
// norm, attention and products.
inline double NetworkRounding(int layers, double tokens, double width, double unit) {
  double error = 0;
  for (int layer = 0; layer < layers; ++layer) {
    error = 4 * (error + SoftmaxRounding(tokens, unit) + LikelyGamma(4 * width, unit));
  }
  return error;
}

// A central difference of a function with n operations, of size `value` and with a third derivative of size `third`.
inline double DifferenceRounding(double step, double value, double third, double n) {
  return step * step / 6 * third + LikelyGamma(n, kDoubleUnit) * value / step;
}

}  // namespace aaren

#endif  // AAREN_TESTS_MODEL_ROUNDING_H_
