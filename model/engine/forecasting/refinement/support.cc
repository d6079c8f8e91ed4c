#include "model/engine/forecasting/refinement/support.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "model/engine/forecasting/refinement/quantiles.h"
#include "model/math/scaling.h"

namespace aaren::engine {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr double kFloatUnit = 0x1p-23;  // largest relative distance of neighbouring floats
constexpr double kWholeShare = 0x1p-9;  // tolerance on a number that stands for a decimal number
constexpr int kMostDecimals = 6;        // places of a decimal number

bool IsWhole(double number) { return number == std::floor(number); }

// The most that a float may differ from the decimal number that it stands for. A whole number stands for itself.
double RoundingOf(double value) { return IsWhole(value) ? 0.0 : kFloatUnit * std::abs(value); }

// The decimal number of at most 6 places that `number` equals, apart from rounding; `number` itself if none fits.
double Decimal(double number) {
  double power = 1.0;
  for (int places = 0; places <= kMostDecimals; ++places, power *= 10.0) {
    const double whole = std::floor(number * power + 0.5);
    if (whole >= 1.0 && std::abs(number * power - whole) <= kWholeShare * std::min(whole, 1.0)) return whole / power;
  }
  return number;
}

// The whole multiple of `step` that `value` equals, apart from rounding; else `value` itself.
double OnGrid(double value, double step) {
  const double whole = std::floor(value / step + 0.5) * step;
  return std::abs(value - whole) <= RoundingOf(value) ? whole : value;
}

// The distance to the nearest whole multiple of the span.
double Remainder(double distance, double span) {
  const double rest = std::fmod(distance, span);
  return std::min(rest, span - rest);
}

// The greatest common divisor of two numbers > 0, each of which may be off by `error`. NaN if the error is too large to
// tell.
double GreatestDivisor(double distance, double span, double error) {
  while (true) {
    const double most = error + kFloatUnit * distance;
    if (!(most < span / 8.0)) return kNone;
    const double rest = Remainder(distance, span);
    if (rest <= most) return span;
    distance = span;
    span = Decimal(rest);
  }
}

}  // namespace

void Support::Reset() {
  least = std::numeric_limits<float>::infinity();
  origin = kNone;
  span = 0.0f;
}

void Support::Add(float value) {
  least = std::min(least, value);
  if (std::isnan(span)) return;
  if (std::isnan(origin)) origin = value;
  const double distance = std::abs(static_cast<double>(value) - origin);
  const double error = RoundingOf(value) + RoundingOf(origin);
  if (std::abs(value) < std::abs(origin)) origin = value;  // the value next to 0 has the least rounding
  if (distance == 0.0) return;
  const double divisor = GreatestDivisor(distance, span == 0.0f ? Decimal(distance) : span, error);
  const bool few = distance <= kMostSteps * divisor && divisor >= std::numeric_limits<float>::min();
  span = few ? static_cast<float>(divisor) : kNone;
}

void Support::Restrict(uint32_t count, size_t size, float* forecast) const {
  if (count < kSettled) return;
  if (span > 0.0f) {
    const double step = Decimal(span);
    RoundQuantiles({.base = OnGrid(origin, step), .step = step, .most = kMostSteps * kMostSteps}, size, forecast);
  }
  if (least >= 0.0f) std::for_each_n(forecast, size, [](float& q) { q = std::max(q, 0.0f); });
}

absl::Status Support::Check() const {
  const float infinity = std::numeric_limits<float>::infinity();
  const bool started = !std::isnan(origin);
  const auto impossible = [](const char* field, float value) {
    return absl::DataLossError(absl::StrCat("row: the support's ", field, " is ", value, ", impossible"));
  };
  if (started ? !(std::abs(least) <= math::kLargestValue) : least != infinity) return impossible("least", least);
  if (started && !(std::abs(origin) <= math::kLargestValue)) return impossible("origin", origin);
  const bool possible = std::isnan(span) || span == 0.0f ||
                        (span >= std::numeric_limits<float>::min() && span <= 2.0f * math::kLargestValue);
  if (!possible || (!started && span != 0.0f)) return impossible("span", span);
  return absl::OkStatus();
}

}  // namespace aaren::engine
