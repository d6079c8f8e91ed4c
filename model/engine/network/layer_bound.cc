#include "model/engine/network/layer_bound.h"

#include <cmath>

#include "model/math/lanes.h"

namespace aaren::engine {
namespace {

// sqrt(d) |w g| for row w of a matrix.
double Reach(const package::Tensor& matrix, size_t row, const package::Tensor& gain) {
  const size_t depth = gain.data.size();
  double squares = 0.0;
  for (size_t k = 0; k < depth; ++k) {
    const double product = static_cast<double>(matrix.data[row * depth + k]) * gain.data[k];
    squares += product * product;
  }
  return std::sqrt(static_cast<double>(depth) * squares);
}

}  // namespace

LayerBound::LayerBound(const package::ForecasterConfig& config, const package::Tensor& norm,
                       const package::Tensor& score, const package::Tensor& value, const package::Tensor& bias)
    : peak(static_cast<size_t>(config.heads)), output(math::PadToLanes(static_cast<size_t>(config.value_width)) / 2) {
  // Each bound grows by kRounding: the engine's products and folds are rounded, the bound's formula is not.
  for (size_t h = 0; h < peak.size(); ++h) peak[h] = (1.0 + kRounding) * Reach(score, h, norm);
  const auto reach = [&](size_t j) { return Reach(value, j, norm) + std::abs(static_cast<double>(bias.data[j])); };
  // Values are turned in pairs, so only the length of a pair has a bound that a turn keeps.
  for (size_t j = 0; j < bias.data.size(); j += 2) {
    output[j / 2] = (1.0 + kRounding) * std::hypot(reach(j), reach(j + 1));
  }
}

}  // namespace aaren::engine
