#ifndef AAREN_MODEL_MATH_SCALING_H_
#define AAREN_MODEL_MATH_SCALING_H_

// Scaling takes a series' values to the scale of the network, x -> (x - center) / scale. Forecasts go the opposite way.
// The arithmetic is in double because the values of a series may be large and close together.

#include <algorithm>
#include <cmath>
#include <limits>

namespace aaren::math {

// Values are clamped to kLargestValue, so that squares stay far from overflow. Values and forecasts below kLeastValue
// become 0, because a distance from 0 means nothing in a series of zeros.
inline constexpr float kLargestValue = 1e30f, kLeastValue = 1e-27f;

// The largest distance of two values, with room for rounding.
inline constexpr float kLargestDistance = 2.001f * kLargestValue;

// The float nearest to a number, within the finite range. REQUIRES: the number is not NaN.
inline float ToFloat(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kMost, kMost));
}

// The float nearest to a number, as a forecast: a magnitude below kLeastValue becomes 0.
inline float ToForecast(double number) {
  const float value = ToFloat(number);
  return std::abs(value) < kLeastValue ? 0.0f : value;
}

// A number, within the values that a row takes; NaN stays.
inline double Bounded(double value) {
  constexpr double kMost = kLargestValue;
  return std::abs(value) < kLeastValue ? 0.0 : std::clamp(value, -kMost, kMost);
}

// The value relative to the origin, as rows keep values; NaN stays.
inline float Relative(double value, double origin) {
  return std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : ToForecast(value - origin);
}

// A value as seen from an origin `distance` further up; NaN stays.
inline float Shifted(float value, double distance) {
  return std::isnan(value) ? value : ToForecast(static_cast<double>(value) - distance);
}

struct Scaling {
  double center;
  double scale;  // > 0

  float Apply(double value) const { return ToFloat((value - center) / scale); }
};

}  // namespace aaren::math

#endif  // AAREN_MODEL_MATH_SCALING_H_
