#include "tests/model/specification/refinement/support.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace aaren::specification {
namespace {

// 9.9
double Decimal(double y) {
  double power = 1;
  for (int k = 0; k <= 6; ++k, power *= 10) {
    const double whole = std::floor(y * power + 0.5);
    if (whole >= 1 && std::fabs(y * power - whole) <= 0x1p-9) return whole / power;
  }
  return y;
}

// A term of 9.6.
double Error(double y) {
  if (std::floor(y) == y) return 0;
  return (y == static_cast<float>(y) ? 0x1p-23 : 0x1p-50) * std::fabs(y);
}

// 9.10
std::optional<double> CommonSpan(double a, double b, double error) {
  while (true) {
    const double most = error + 0x1p-23 * a;
    if (!(most < b / 8)) return std::nullopt;
    const double rest = std::min(std::fmod(a, b), b - std::fmod(a, b));
    if (rest <= most) return b;
    a = b;
    b = Decimal(rest);
  }
}

}  // namespace

void Support::Take(const Series& before, double v, double x) {
  if (std::isnan(v)) return;
  const float relative = before.Relative(x);
  if (!(std::fabs(relative - before.mean) <= before.Reach()) && before.far != 3) return;  // 9.2
  if (std::isnan(origin)) origin = v;
  least = std::min(least, static_cast<float>(v - origin));
  greatest = std::max(greatest, static_cast<float>(v - origin));
  if (v < 0) negative = 1;
  const double away = v - origin, dist = std::fabs(away), error = Error(v) + Error(origin);
  if (std::fabs(v) < std::fabs(origin)) {  // 9.8
    origin = v;
    least = std::min(static_cast<float>(least - away), 0.0f);
    greatest = std::max(static_cast<float>(greatest - away), 0.0f);
  }
  if (Missing(span) || dist == 0) return;
  const auto result = CommonSpan(dist, span == 0 ? Decimal(dist) : double{span}, error);
  const bool fits = result && dist <= 4096 * *result && *result >= 0x1p-126;  // 9.11
  span = fits ? static_cast<float>(*result) : kMissing;
}

void Support::Restrict(const Series& series, Vector& forecast) const {
  if (series.n < 32) return;
  const double s = Decimal(span), base = origin - series.origin;
  const float zero = static_cast<float>(0 - series.origin);
  for (float& q : forecast) {
    const double steps = (q - base) / s, k = std::floor(steps + 0.5);
    if (IsFew()) {
      q = ToForecast(base + Clamp(k, std::floor(least / s + 0.5), std::floor(greatest / s + 0.5)) * s);  // 9.16
    } else if (span > 0 && std::fabs(steps) < 0x1p24) {
      q = ToForecast(base + k * s);  // 9.15
    }
    if (negative == 0) q = std::max(q, zero);  // 9.17
  }
}

}  // namespace aaren::specification
