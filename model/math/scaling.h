#ifndef AAREN_MODEL_MATH_SCALING_H_
#define AAREN_MODEL_MATH_SCALING_H_

// Scaling takes a series' values to the scale of the network, x -> (x - center) / scale, and forecasts back. In double:
// the values of a series may be large and close together.

#include <algorithm>
#include <cmath>
#include <limits>

namespace aaren::math {

// Values are clamped to the largest, so that their squares are far from overflow, and those below the least are 0, in
// forecasts too. How far from 0 a forecast of zeros lies means nothing.
inline constexpr float kLargestValue = 1e30f, kLeastValue = 1e-27f;

// The float nearest to a number, within the finite range. REQUIRES: not NaN.
inline float ToFloat(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kMost, kMost));
}

// Likewise, as a forecast: below kLeastValue it is 0.
inline float ToForecast(double number) {
  const float value = ToFloat(number);
  return std::abs(value) < kLeastValue ? 0.0f : value;
}

struct Scaling {
  double center;
  double scale;  // > 0

  float Apply(double value) const { return ToFloat((value - center) / scale); }
};

}  // namespace aaren::math

#endif  // AAREN_MODEL_MATH_SCALING_H_
