#include "model/engine/classification/row.h"

#include <algorithm>

#include "model/math/doubles.h"

namespace aaren::classification {
namespace {

constexpr size_t kLayersAt = sizeof(RowHeader), kLogitsAt = kLayersAt + kLayers * sizeof(AttentionState);

// Far below any score: the exponential of the difference is 0, and the first token gets the whole weight.
constexpr double kNoPeak = -1e30;

}  // namespace

size_t RowForm::bytes() const {
  const size_t used = kLogitsAt + classes_ * sizeof(double) + (kWindow - 1) * channels_ * sizeof(float);
  return (used + 63) / 64 * 64;
}

RowView RowForm::View(std::byte* row) const {
  std::byte* const logits = row + kLogitsAt;
  return {.header = reinterpret_cast<RowHeader*>(row),
          .layers = reinterpret_cast<AttentionState*>(row + kLayersAt),
          .logits = reinterpret_cast<double*>(logits),
          .recent = reinterpret_cast<float*>(logits + classes_ * sizeof(double))};
}

void RowForm::Reset(absl::Span<std::byte> row, const double* bias) const {
  std::fill(row.begin(), row.end(), std::byte{0});
  const RowView view = View(row.data());
  for (size_t i = 0; i < kLayers; ++i) std::fill_n(view.layers[i].peak, kHeads, kNoPeak);
  std::copy_n(bias, classes_, view.logits);
}

void FoldToken(const float* scores, const float* values, AttentionState& layer, float* out) {
  double below[2][kHeads];  // how far the score and the earlier peak are below the new peak
  for (size_t h = 0; h < kHeads; ++h) {
    const double score = scores[h], peak = std::max(layer.peak[h], score);
    below[0][h] = score - peak;
    below[1][h] = layer.peak[h] - peak;
    layer.peak[h] = peak;
  }
  math::Exp(below[0], 2 * kHeads, below[0]);
  for (size_t h = 0; h < kHeads; ++h) {
    layer.weight[h] = layer.weight[h] * below[1][h] + below[0][h];
    const double share = below[0][h] / layer.weight[h];
    for (size_t j = h * kHeadWidth; j < (h + 1) * kHeadWidth; ++j) {
      layer.output[j] += share * (static_cast<double>(values[j]) - layer.output[j]);
      out[j] = static_cast<float>(layer.output[j]);
    }
  }
}

}  // namespace aaren::classification
