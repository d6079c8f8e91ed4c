#include "model/math/doubles.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/math/logarithm_of_two.h"

namespace aaren::math {

// x = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and log(1 + f) = 2 atanh(s) with s = f / (2 + f).
double Log(double x) {
  int n = 0;
  double mantissa = std::frexp(x, &n);
  if (mantissa < std::numbers::sqrt2 / 2) {
    mantissa *= 2;
    --n;
  }
  const double f = mantissa - 1, s = f / (2 + f), z = s * s;
  // With |s| <= 3 - 2 sqrt(2) = 0.172, the first term left out is below s^24 / 25, under 2^-60.
  double p = 1.0 / 23;
  for (int k = 21; k >= 3; k -= 2) p = p * z + 1.0 / k;
  const double log = 2 * s + 2 * s * z * p;
  // The multiple of ln 2 is added last, because the smaller parts would lose digits beside a large exponent.
  return n * kLn2High + (n * kLn2Low + log);
}

// exp(x) = 2^n exp(r) with |r| <= ln 2 / 2, by the Taylor series to r^13.
double Exp(double x) {
  // exp(-700) is 1e-304 and exp(700) is 1e304: both bounds keep the power of two in the range of normal doubles.
  if (x < -700) return 0;
  x = std::min(x, 700.0);
  const double n = std::floor(x * std::numbers::log2e + 0.5);
  const double r = (x - n * kLn2High) - n * kLn2Low;
  // With |r| <= 0.347, the first term left out is below r^14 / 14!, under 2^-57.
  double p = 1;
  for (int k = 13; k >= 1; --k) p = 1 + p * r / k;
  return std::ldexp(p, static_cast<int>(n));
}

// The angle is brought to an eighth of a turn around a quarter; then by Taylor series.
Turned Turn(double turns) {
  // The whole turns go first: a difference of large angles would leave rounding instead of an angle.
  turns -= std::floor(turns);
  const double quarter = std::floor(4 * turns + 0.5), angle = 2 * std::numbers::pi * (turns - quarter / 4);
  const double square = angle * angle;
  double cosine = 1, sine = 1;
  // With an angle up to an eighth of a turn, the first terms left out are below 2^-57.
  for (int k = 8; k >= 1; --k) {
    cosine = 1 - square * cosine / ((2 * k - 1) * (2 * k));
    sine = 1 - square * sine / ((2 * k) * (2 * k + 1));
  }
  sine *= angle;
  switch (static_cast<int>(quarter) & 3) {
    case 0:
      return {cosine, sine};
    case 1:
      return {-sine, cosine};
    case 2:
      return {-cosine, -sine};
    default:
      return {sine, -cosine};
  }
}

}  // namespace aaren::math
