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
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr double kFloatUnit = 0x1p-23;   // largest relative distance of neighbouring floats
constexpr double kDoubleUnit = 0x1p-50;  // the same for doubles, and some room for rounding
constexpr double kWholeShare = 0x1p-9;   // tolerance on a number that stands for a decimal number
constexpr int kMostDecimals = 6;         // places of a decimal number

bool IsWhole(double number) { return number == std::floor(number); }

// The most that a value may differ from the decimal number that it stands for. A whole number stands for itself.
double RoundingOf(double value) {
  if (IsWhole(value)) return 0.0;
  const bool is_float = value == static_cast<double>(static_cast<float>(value));
  return (is_float ? kFloatUnit : kDoubleUnit) * std::abs(value);
}

// The decimal number of at most 6 places that `number` equals, apart from rounding; `number` itself if none fits.
double Decimal(double number) {
  double power = 1.0;
  for (int places = 0; places <= kMostDecimals; ++places, power *= 10.0) {
    const double whole = std::floor(number * power + 0.5);
    if (whole >= 1.0 && std::abs(number * power - whole) <= kWholeShare * std::min(whole, 1.0)) return whole / power;
  }
  return number;
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
  origin = kNone;
  least = kInfinity;
  greatest = -kInfinity;
  span = 0.0f;
  negative = 0;
}

void Support::Add(double value) {
  if (std::isnan(origin)) origin = value;
  const double away = value - origin, distance = std::abs(away);
  least = std::min(least, static_cast<float>(away));
  greatest = std::max(greatest, static_cast<float>(away));
  if (value < 0.0) negative = 1;
  const double error = RoundingOf(value) + RoundingOf(origin);
  if (std::abs(value) < std::abs(origin)) {
    origin = value;
    least = std::min(static_cast<float>(least - away), 0.0f);
    greatest = std::max(static_cast<float>(greatest - away), 0.0f);
  }
  if (std::isnan(span) || distance == 0.0) return;
  const double divisor = GreatestDivisor(distance, span == 0.0f ? Decimal(distance) : span, error);
  const bool few = distance <= kMostSteps * divisor && divisor >= std::numeric_limits<float>::min();
  span = few ? static_cast<float>(divisor) : kNone;
}

void Support::Restrict(uint32_t count, double from, size_t size, float* forecast) const {
  if (count < kSettled) return;
  if (span > 0.0f) {
    const double step = Decimal(span), most = kMostSteps * kMostSteps, base = origin - from;
    Lattice lattice{.base = base, .step = step, .most = most, .first = -most, .last = most};
    if (IsFew()) {
      lattice.most = std::numeric_limits<double>::infinity();
      lattice.first = std::floor(least / step + 0.5);
      lattice.last = std::floor(greatest / step + 0.5);
    }
    RoundQuantiles(lattice, size, forecast);
  }
  if (negative != 0) return;
  const float zero = static_cast<float>(0.0 - from);
  std::for_each_n(forecast, size, [zero](float& q) { q = q < zero ? zero : q; });
}

absl::Status Support::Check() const {
  const bool started = !std::isnan(origin);
  const auto impossible = [](const char* field, double value) {
    return absl::DataLossError(absl::StrCat("row: the support's ", field, " is ", value, ", impossible"));
  };
  if (started && !(std::abs(origin) <= math::kLargestValue)) return impossible("origin", origin);
  const bool has_least = least <= 0.0f && least >= -math::kLargestDistance;
  if (started ? !has_least : least != kInfinity) return impossible("least", least);
  const bool has_greatest = greatest >= 0.0f && greatest <= math::kLargestDistance;
  if (started ? !has_greatest : greatest != -kInfinity) return impossible("greatest", greatest);
  const bool possible =
      std::isnan(span) || span == 0.0f || (span >= std::numeric_limits<float>::min() && span <= math::kLargestDistance);
  if (!possible || (!started && span != 0.0f)) return impossible("span", span);
  if (negative > (started ? 1u : 0u)) return impossible("sign", negative);
  return absl::OkStatus();
}

}  // namespace aaren::engine
