#include "tests/model/specification/events/doubles.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "tests/model/specification/arithmetic.h"

namespace aaren::specification::events {
namespace {

constexpr double kLnHigh = 0x1.62e42feep-1, kLnLow = 0x1.a39ef35793c76p-33;

}  // namespace

double DoubleExp(double x) {
  if (x < -700) return 0;
  const double b = Clamp(x, -700.0, 700.0), n = std::floor(b * 0x1.71547652b82fep+0 + 0.5);
  const double r = (b - n * kLnHigh) - n * kLnLow;
  double y = 1;
  for (int k = 13; k >= 1; --k) y = 1 + (y * r) / k;
  return y * std::bit_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(n) + 1023) << 52);
}

double DoubleLog(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  auto n = static_cast<double>(static_cast<int64_t>(bits >> 52) - 1022);
  double m = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3fe0000000000000);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m = 2 * m;
    n = n - 1;
  }
  const double f = m - 1, s = f / (2 + f), z = s * s;
  double y = 1.0 / 23;
  for (int k = 21; k >= 3; k -= 2) y = y * z + 1.0 / k;
  return n * kLnHigh + (n * kLnLow + (2 * s + ((2 * s) * z) * y));
}

Turned Turn(double turns) {
  const double part = turns - std::floor(turns), quarter = std::floor(4 * part + 0.5);
  const double angle = 0x1.921fb54442d18p+2 * (part - quarter / 4), square = angle * angle;
  double cosine = 1, sine = 1;
  for (int k = 8; k >= 1; --k) {
    cosine = 1 - (square * cosine) / ((2 * k - 1) * (2 * k));
    sine = 1 - (square * sine) / ((2 * k) * (2 * k + 1));
  }
  sine = sine * angle;
  if (quarter == 1) return {-sine, cosine};
  if (quarter == 2) return {-cosine, -sine};
  if (quarter == 3) return {sine, -cosine};
  return {cosine, sine};
}

}  // namespace aaren::specification::events
