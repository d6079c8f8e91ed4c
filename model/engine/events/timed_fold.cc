#include "model/engine/events/timed_fold.h"

#include <algorithm>

#include "model/math/doubles.h"

namespace aaren::events {

void FoldEvent(const float* scores, const float* values, const double* decay, float elapsed, EventLayer& layer,
               float* out) {
  constexpr size_t kHeadWidth = kValueWidth / kHeads;
  double below[2][kHeads];  // how far the score and the aged peak are below the new peak
  for (size_t h = 0; h < kHeads; ++h) {
    const double age = h < kHeads / 2 ? 1.0 : static_cast<double>(elapsed), score = scores[h];
    const double aged = layer.peak[h] - decay[h] * age, peak = std::max(aged, score);
    below[0][h] = score - peak;
    below[1][h] = aged - peak;
    layer.peak[h] = peak;
  }
  math::Exp(below[0], 2 * kHeads, below[0]);
  for (size_t h = 0; h < kHeads; ++h) {
    const double added = below[0][h], weight = layer.weight[h] * below[1][h] + added, share = added / weight;
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
