#ifndef AAREN_MODEL_SEASON_BOUNDS_H_
#define AAREN_MODEL_SEASON_BOUNDS_H_

// Bounds limit the values of a series: a glitch counts only as far as the running statistics reach.

#include <limits>

#include "model/math/statistics.h"

namespace aaren::season {

struct Bounds {
  float low;
  float high;

  // Clamps a value. NaN stays NaN.
  float Apply(float value) const {
    const float above = value < low ? low : value;
    return above > high ? high : above;
  }
};

inline constexpr Bounds kAnywhere = {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};

inline Bounds ReachOf(const math::Statistics& statistics) {
  const double reach = statistics.Reach();
  return {static_cast<float>(statistics.mean - reach), static_cast<float>(statistics.mean + reach)};
}

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_BOUNDS_H_
