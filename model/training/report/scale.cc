#include "model/training/report/scale.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace aaren::training {
namespace {

// The least of 1, 2, 5, 10, 20, 50 ... that is at least `x`, apart from rounding.
double RoundUp(double x) {
  const double decade = std::pow(10, std::floor(std::log10(x)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (x <= factor * decade * (1 + 1e-9)) return factor * decade;
  }
  return 10 * decade;
}

// 1, 2, 5 times powers of ten in [low, high], or only powers of ten if these are enough.
std::vector<double> Decades(double low, double high, int count) {
  const int first = static_cast<int>(std::floor(std::log10(low))), last = static_cast<int>(std::ceil(std::log10(high)));
  const int stride = std::max(1, (last - first) / std::max(1, count));
  const bool between = std::log10(high / low) * 2 < count;
  std::vector<double> ticks;
  for (int power = first; power <= last; power += stride) {
    for (double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10, power);
      if ((factor == 1 || between) && tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
    }
  }
  return ticks;
}

}  // namespace

Scale::Scale(double low, double high, bool logarithmic) : logarithmic_(logarithmic && low > 0 && high > 0) {
  // Equal ends get room on both sides, because a scale needs a length.
  if (!(low < high)) {
    const double room = logarithmic_ ? 0.5 * low : std::max(0.5 * std::fabs(low), 1e-9);
    high = low + room;
    low -= room;
  }
  low_ = At(low);
  high_ = At(high);
}

Scale Scale::WithMargins(double low, double high, bool logarithmic) {
  Scale scale(low, high, logarithmic);
  const double room = 0.05 * (scale.high_ - scale.low_);
  scale.low_ -= room;
  scale.high_ += room;
  return scale;
}

double Scale::At(double value) const { return logarithmic_ ? std::log10(value) : value; }

double Scale::Position(double value) const { return (At(value) - low_) / (high_ - low_); }

std::vector<double> Scale::Ticks(int count) const {
  if (logarithmic_) return Decades(std::pow(10, low_), std::pow(10, high_), count);
  std::vector<double> ticks;
  for (double finer = 1; ticks.size() < 2 && finer < 8; finer *= 2) {  // a single tick tells nothing
    const double step = RoundUp((high_ - low_) / (count * finer));
    ticks.clear();
    for (double i = std::ceil(low_ / step - 1e-9); i * step <= high_ + 1e-9 * step; ++i)
      // Adding 0.0 turns -0 into 0, which prints without a sign.
      ticks.push_back(i * step + 0.0);
  }
  return ticks;
}

std::vector<std::string> Scale::Labels(const std::vector<double>& ticks) {
  double largest = 0, finest = 1e300;
  for (size_t i = 0; i < ticks.size(); ++i) {
    largest = std::max(largest, std::fabs(ticks[i]));
    if (i > 0) finest = std::min(finest, ticks[i] - ticks[i - 1]);
  }
  const double unit = largest >= 1e6 && finest >= 1e4 ? 1e6 : largest >= 1e4 && finest >= 10 ? 1e3 : 1;
  std::vector<std::string> labels;
  for (double tick : ticks) {
    const bool plain = largest < 1e9 && (finest >= 1e-4 || ticks.size() < 2);
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(finest / unit) - 1e-9)), 0, 6);
    const std::string digits =
        plain ? absl::StrFormat("%.*f", decimals, tick / unit) : absl::StrFormat("%.4g", tick / unit);
    labels.push_back(absl::StrCat(digits, unit == 1e6 && tick != 0 ? "M" : unit == 1e3 && tick != 0 ? "k" : ""));
  }
  return labels;
}

}  // namespace aaren::training
