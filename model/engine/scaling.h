#ifndef AAREN_MODEL_ENGINE_SCALING_H_
#define AAREN_MODEL_ENGINE_SCALING_H_

// Scaling takes a series' values to the scale of the network, x -> (x - center) / scale, and forecasts back. In double:
// the values of a series may be large and close together.

#include <algorithm>
#include <limits>

namespace aaren {

// The float nearest to a number, within the finite range. REQUIRES: not NaN.
inline float ToFloat(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -kMost, kMost));
}

struct Scaling {
  double center;
  double scale;  // > 0

  float Apply(double value) const { return ToFloat((value - center) / scale); }
  float Undo(float standard) const { return ToFloat(center + scale * static_cast<double>(standard)); }
};

}  // namespace aaren

#endif  // AAREN_MODEL_ENGINE_SCALING_H_
