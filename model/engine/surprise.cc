#include "model/engine/surprise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/engine/activation.h"
#include "model/engine/lanes.h"

namespace aaren {
namespace {

// exp(-distance / gap), the tail of a distribution beyond its outermost quantile; without a gap there is no tail.
double Tail(double distance, double gap) {
  if (gap == 0.0) return 0.0;
  alignas(64) float x[kLanes] = {};
  x[0] = static_cast<float>(std::max(-distance / gap, -200.0));
  Exp(x, kLanes, x);
  return x[0];
}

}  // namespace

float Surprise(const std::vector<float>& levels, const float* quantiles, float value) {
  if (std::isnan(value) || std::isnan(quantiles[0])) return std::numeric_limits<float>::quiet_NaN();
  const size_t last = levels.size() - 1;
  const double x = value;
  const auto quantile = [&](size_t i) { return static_cast<double>(quantiles[i]); };
  const auto level = [&](size_t i) { return static_cast<double>(levels[i]); };

  if (x < quantile(0)) {
    return static_cast<float>(level(0) * Tail(quantile(0) - x, quantile(1) - quantile(0)));
  }
  if (x > quantile(last)) {
    return static_cast<float>(1.0 -
                              (1.0 - level(last)) * Tail(x - quantile(last), quantile(last) - quantile(last - 1)));
  }
  const size_t low = static_cast<size_t>(std::lower_bound(quantiles, quantiles + last, value) - quantiles);
  if (quantile(low) == x) {
    size_t high = low;
    while (high < last && quantile(high + 1) == x) ++high;
    return static_cast<float>((level(low) + level(high)) / 2.0);
  }
  const double part = (x - quantile(low - 1)) / (quantile(low) - quantile(low - 1));
  return static_cast<float>(level(low - 1) + part * (level(low) - level(low - 1)));
}

}  // namespace aaren
