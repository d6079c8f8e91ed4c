#include "model/engine/events/timed_fold.h"

#include <algorithm>

#include "model/math/doubles.h"

namespace aaren::events {

void FoldEvent(const float* scores, const float* values, const double* decay, float elapsed, EventLayer& layer,
               float* out) {
  constexpr size_t kHeadWidth = kValueWidth / kHeads;
  for (size_t h = 0; h < kHeads; ++h) {
    const double age = h < kHeads / 2 ? 1.0 : static_cast<double>(elapsed), score = scores[h];
    const double aged = layer.peak[h] - decay[h] * age, peak = std::max(aged, score);
    const double added = math::Exp(score - peak);
    const double weight = layer.weight[h] * math::Exp(aged - peak) + added, share = added / weight;
    layer.peak[h] = peak;
    layer.weight[h] = weight;
    double* output = layer.output + h * kHeadWidth;
    for (size_t j = 0; j < kHeadWidth; ++j) {
      // The output moves towards the value by the value's share, and so never grows (model/engine/network/fold.h).
      output[j] += share * (static_cast<double>(values[h * kHeadWidth + j]) - output[j]);
      out[h * kHeadWidth + j] = static_cast<float>(output[j]);
    }
  }
}

}  // namespace aaren::events
