#include "model/engine/forecasting/refinement/level_place.h"

#include <algorithm>

#include "model/math/scaling.h"

namespace aaren::engine {
namespace {

// The cube root of y in (0, 1], by Newton's method from 1. Twelve rounds reach the last bits of any y above 1e-4; the
// number of rounds is fixed, so that machines agree.
double CubeRoot(double y) {
  double root = 1.0;
  for (int round = 0; round < 12; ++round) root -= (root * root * root - y) / (3.0 * (root * root));
  return root;
}

// How many gaps beyond the outermost quantile the tail of a surprise leaves `share` of the outermost level.
double GapsBeyond(double share) { return 3.0 * (1.0 / CubeRoot(share) - 1.0); }

}  // namespace

LevelPlace::LevelPlace(const std::vector<float>& levels, float level)
    : last_(levels.size() - 1),
      low_(static_cast<size_t>(std::lower_bound(levels.begin(), levels.end(), level) - levels.begin())),
      high_(low_) {
  const double p = level, least = levels.front(), most = levels.back();
  if (low_ > last_) {
    low_ = high_ = last_;
    share_ = GapsBeyond((1.0 - p) / (1.0 - most));
  } else if (low_ == 0) {
    share_ = p == least ? 0.0 : -GapsBeyond(p / least);
  } else if (levels[low_] != level) {
    --low_;
    share_ = (p - levels[low_]) / (double{levels[high_]} - levels[low_]);
  }
}

float LevelPlace::In(const float* quantiles) const {
  if (share_ == 0.0) return quantiles[low_];
  const auto quantile = [quantiles](size_t i) { return static_cast<double>(quantiles[i]); };
  const double low = quantile(low_), high = quantile(high_);
  if (low_ != high_) return math::ToForecast(std::min(low + share_ * (high - low), high));
  const size_t outer = std::min(low_, last_ - 1);  // the gap between the outermost two
  const double gap = std::max(quantile(outer + 1) - quantile(outer), (quantile(last_) - quantile(0)) / 16.0);
  return math::ToForecast(low + share_ * gap);
}

}  // namespace aaren::engine
