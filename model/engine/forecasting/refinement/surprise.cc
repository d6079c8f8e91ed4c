#include "model/engine/forecasting/refinement/surprise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace aaren::engine {
namespace {

// The tail (1 + z / 3)^-3 with z = distance / gap. At the outermost quantile the tail is as steep as exp(-z), and
// further out falls as slowly as real values do. Without a gap the tail is 0.
double Tail(double distance, double gap) {
  if (gap == 0.0) return 0.0;
  const double share = 1.0 / (1.0 + distance / gap / 3.0);
  return share * share * share;
}

}  // namespace

void SurpriseRange::Count(const float* newest, size_t count, float value, double span) {
  double below = 0.0, equal = 0.0, above = 0.0;
  for (size_t age = 0; age < count; ++age) {
    const double away = static_cast<double>(newest[-static_cast<ptrdiff_t>(age)]) - value;
    below += away < -span / 2.0 ? 1.0 : 0.0;  // a NaN fails all comparisons
    equal += std::abs(away) <= span / 2.0 ? 1.0 : 0.0;
    above += away > span / 2.0 ? 1.0 : 0.0;
  }
  const double all = below + equal + above;
  if (all == 0.0) return;
  least = static_cast<float>(std::min((below + equal / 2.0) / all, 0.5));
  most = static_cast<float>(std::max(1.0 - (above + equal / 2.0) / all, 0.5));
}

float Surprise(const std::vector<float>& levels, const float* quantiles, float value) {
  if (std::isnan(value) || std::isnan(quantiles[0])) return std::numeric_limits<float>::quiet_NaN();
  const size_t last = levels.size() - 1;
  const double x = value;
  const auto quantile = [&](size_t i) { return static_cast<double>(quantiles[i]); };
  const auto level = [&](size_t i) { return static_cast<double>(levels[i]); };

  const double least = (quantile(last) - quantile(0)) / 16.0;  // a least gap, because rounded quantiles may coincide
  if (x < quantile(0)) {
    const double gap = std::max(quantile(1) - quantile(0), least);
    return static_cast<float>(level(0) * Tail(quantile(0) - x, gap));
  }
  if (x > quantile(last)) {
    const double gap = std::max(quantile(last) - quantile(last - 1), least);
    return static_cast<float>(1.0 - (1.0 - level(last)) * Tail(x - quantile(last), gap));
  }
  const size_t low = static_cast<size_t>(std::lower_bound(quantiles, quantiles + last, value) - quantiles);
  if (quantile(low) == x) {
    size_t high = low;
    while (high < last && quantile(high + 1) == x) ++high;
    return static_cast<float>((level(low) + level(high)) / 2.0);
  }
  const double fraction = (x - quantile(low - 1)) / (quantile(low) - quantile(low - 1));
  return static_cast<float>(level(low - 1) + fraction * (level(low) - level(low - 1)));
}

}  // namespace aaren::engine
