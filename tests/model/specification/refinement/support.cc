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

// A term of 9.6, and the bound of 9.15.
double Error(double y) { return std::floor(y) == y ? 0 : 0x1p-23 * std::fabs(y); }

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

void Support::Take(const Series& before, float x) {
  if (Missing(x)) return;
  if (!(std::fabs(x - before.mean) <= before.Reach()) && before.far != 3) return;  // 9.2
  least = std::min(least, x);
  if (Missing(span)) return;
  if (Missing(origin)) origin = x;
  const double dist = std::fabs(double{x} - double{origin});
  const double error = Error(x) + Error(origin);
  if (std::fabs(x) < std::fabs(origin)) origin = x;  // 9.7
  if (dist == 0) return;
  const auto result = CommonSpan(dist, span == 0 ? Decimal(dist) : double{span}, error);
  const bool fits = result && dist <= 4096 * *result && *result >= 0x1p-126;  // 9.11
  span = fits ? static_cast<float>(*result) : kMissing;
}

void Support::Restrict(const Series& series, Vector& forecast) const {
  if (series.n < 32) return;
  double s = 0, base = 0;
  if (span > 0) {
    s = Decimal(span);
    const double whole = std::floor(origin / s + 0.5) * s;
    base = std::fabs(origin - whole) <= Error(origin) ? whole : double{origin};  // 9.15
  }
  for (float& q : forecast) {
    if (span > 0 && std::fabs(q - base) / s < 0x1p24) q = ToForecast(base + std::floor((q - base) / s + 0.5) * s);
    if (least >= 0) q = std::max(q, 0.0f);  // 9.17
  }
}

}  // namespace aaren::specification
