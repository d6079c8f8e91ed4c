#include "tests/bench/attention/growth.h"

#include <algorithm>
#include <cmath>

namespace aaren::bench {

double GrowthExponent(const std::vector<GrowthPoint>& points) {
  double end = 0;
  for (const GrowthPoint& point : points) end = std::max(end, point.x);
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const GrowthPoint& point : points) {
    if (point.x < end / 10) continue;
    const double log_x = std::log(point.x / end), log_y = std::log(point.y / points.back().y);
    n += 1;
    x += log_x;
    y += log_y;
    xx += log_x * log_x;
    xy += log_x * log_y;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace aaren::bench
