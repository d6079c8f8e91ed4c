#include "tests/model/specification/network/season_skip.h"

#include <algorithm>
#include <string>

#include "tests/model/specification/functions.h"

namespace aaren::specification {
namespace {

// 10.9, 10.10: [knots, 5]
Vector KnotWeights(const Network& network, const Vector& y) {
  Vector w = network.Product("season.gate", y);
  for (size_t i = 0; i < w.size(); i += 5) {
    const float largest = *std::max_element(&w[i], &w[i] + 5);
    for (size_t k = i; k < i + 5; ++k) w[k] = Exp(w[k] - largest);
    const float sum = ((w[i] + w[i + 1]) + (w[i + 2] + w[i + 3])) + w[i + 4];
    for (size_t k = i; k < i + 5; ++k) w[k] = w[k] / sum;
  }
  return w;
}

// K_k r_k of 10.13.
Vector Correction(const Network& network, int k, Vector residuals) {
  residuals.resize(24);
  std::replace_if(residuals.begin(), residuals.end(), Missing, 0.0f);
  return network.Product("season.residual." + std::to_string(k - 1), residuals);
}

}  // namespace

Vector SeasonSkip(const Network& network, const Vector& skip, const Vector& y, const SeasonalInput& input) {
  const Vector weights = KnotWeights(network, y);
  Vector parts[5] = {skip, input.Z[0], input.Z[1], input.Z[2], input.Z[3]};
  for (int k = 1; k <= 3; ++k) {
    const Vector correction = Correction(network, k, input.residuals[k - 1]);
    for (size_t h = 0; h < skip.size(); ++h) parts[k + 1][h] += correction[h];
  }
  const std::vector<int>& knots = network.sizes().knots;
  Vector mixed(skip.size());
  for (int h = 1; h <= network.sizes().T; ++h) {
    const size_t b = std::lower_bound(knots.begin(), knots.end(), h) - knots.begin(), a = b == 0 ? b : b - 1;  // 10.11
    const float v = a == b ? 1.0f : static_cast<float>(h - knots[a]) / static_cast<float>(knots[b] - knots[a]);
    for (size_t k = 0; k < 5; ++k) {
      const float weight = (1.0f - v) * weights[5 * a + k] + v * weights[5 * b + k];  // 10.12
      mixed[h - 1] += weight * parts[k][h - 1];
    }
  }
  return mixed;
}

}  // namespace aaren::specification
