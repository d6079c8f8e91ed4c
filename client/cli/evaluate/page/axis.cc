#include "client/cli/evaluate/page/axis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace aaren::cli {
namespace {

// The least of 1, 2 and 5 times a power of ten that is at least `rough`.
double NiceStep(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (double factor : {1.0, 2.0, 5.0}) {
    // A step that is too small by rounding alone counts as large enough.
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::string Grouped(std::string digits) {
  const size_t first = digits[0] == '-' ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace

std::string TickLabel(double value, double step) {
  const double size = std::max(std::abs(value), step);
  // More digits would not fit beside the axis.
  if (size >= 1e7 || step < 1e-5) return absl::StrFormat("%.4g", value);
  if (std::abs(value) < step / 2) value = 0;  // no "-0"
  if (step >= 1) return Grouped(absl::StrFormat("%.0f", value));
  return absl::StrFormat("%.*f", static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), value);
}

Axis::Axis(AxisOptions options, double from, double to)
    : options_(std::move(options)),
      from_(from),
      to_(to),
      low_(std::numeric_limits<double>::infinity()),
      high_(-std::numeric_limits<double>::infinity()) {
  for (double value : options_.include) Include(value);
  for (size_t i = 0; i < options_.names.size(); ++i) Include(static_cast<double>(i));
}

void Axis::Include(double value) {
  if (!Shows(value)) return;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
}

bool Axis::Shows(double value) const { return std::isfinite(value) && (!options_.logarithmic || value > 0); }

Axis::Range Axis::Bounds() const {
  // An axis without a value still needs a range.
  if (!(low_ <= high_)) return {0, 1};
  Range range = options_.logarithmic ? Range{std::log10(low_), std::log10(high_)} : Range{low_, high_};
  // Names stand at whole numbers: half a step and a little more leaves room for markers.
  if (!options_.names.empty()) return {range.low - 0.6, range.high + 0.6};
  // A flat line is drawn in the middle; differences by rounding only count as flat.
  const double flat = options_.logarithmic ? 0.05 : std::max(1e-6 * std::max(std::abs(low_), std::abs(high_)), 1e-30);
  const double pad = range.high - range.low < flat ? (options_.logarithmic || flat > 1e-30 ? 10 * flat : 1)
                                                   : options_.padding * (range.high - range.low);
  return {range.low - pad, range.high + pad};
}

double Axis::Pixel(double value) const {
  const Range range = Bounds();
  const double at = options_.logarithmic ? std::log10(value) : value;
  return from_ + (at - range.low) / (range.high - range.low) * (to_ - from_);
}

std::vector<Tick> Axis::Ticks(int most) const {
  std::vector<Tick> ticks;
  for (size_t i = 0; i < options_.names.size(); ++i) ticks.push_back({static_cast<double>(i), options_.names[i]});
  if (!ticks.empty()) return ticks;
  const Range range = Bounds();
  if (options_.logarithmic) {
    const double step = std::max(1.0, std::ceil((range.high - range.low) / most));
    // Beyond a decade and a half the powers of ten are ticks enough.
    const bool wide = range.high - range.low > 1.5;
    for (double power = std::floor(range.low / step) * step; power <= range.high; power += step) {
      for (double factor : {1.0, 2.0, 5.0}) {
        const double at = power + std::log10(factor);
        if ((wide && factor > 1) || at < range.low - 1e-9 || at > range.high + 1e-9) continue;
        const double value = factor * std::pow(10, power);
        ticks.push_back({value, TickLabel(value, value)});
      }
    }
    return ticks;
  }
  const double step = NiceStep((range.high - range.low) / most);
  for (double value = std::ceil(range.low / step - 1e-9) * step; value <= range.high + 1e-9 * step; value += step) {
    ticks.push_back(
        {value, options_.percent ? absl::StrCat(TickLabel(100 * value, 100 * step), " %") : TickLabel(value, step)});
  }
  return ticks;
}

}  // namespace aaren::cli
