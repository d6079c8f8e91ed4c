#ifndef AAREN_MODEL_ENGINE_CLASSIFICATION_ROW_H_
#define AAREN_MODEL_ENGINE_CLASSIFICATION_ROW_H_

// The row of a classifier: all that a series leaves behind, in a size that depends on the model alone.
//
//   header     tokens taken, and the claim of a batch
//   layers     the attention of each layer and head (paper, section 3.1, equations 6 to 9): m, c, and o = a / c
//   logits     float64 [C], the head's running sum
//   recent     float32 [2, V], the last two tokens, standardised, the older first
//
// Threading: plain values.

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "model/engine/classification/sizes.h"

namespace aaren::classification {

struct RowHeader {
  uint64_t count;    // tokens taken
  uint64_t claimed;  // 0 except while a batch works on the row
};

struct AttentionState {
  double output[kWidth];  // o = a / c, which never grows
  double weight[kHeads];  // c
  double peak[kHeads];    // m
};

// The parts of a row in place.
struct RowView {
  RowHeader* header;
  AttentionState* layers;  // [kLayers]
  double* logits;          // [C]
  float* recent;           // [2, V]
};

class RowForm {
 public:
  RowForm(size_t channels, size_t classes) : channels_(channels), classes_(classes) {}

  size_t bytes() const;  // a multiple of 64
  // REQUIRES: `row` is bytes() long and aligned to 8.
  RowView View(std::byte* row) const;
  // Makes the row of a series without tokens, whose logits are the head's bias, [C].
  void Reset(absl::Span<std::byte> row, const double* bias) const;

 private:
  size_t channels_, classes_;
};

// Folds a token into a layer, and writes the attention's output: scores [kHeads], values and out [kWidth]. With
// o = a / c, equations 6 to 9 of the paper read: m' = max(m, s), c' = c exp(m - m') + exp(s - m'), and
// o' = o + exp(s - m') / c' (v - o).
void FoldToken(const float* scores, const float* values, AttentionState& layer, float* out);

}  // namespace aaren::classification

#endif  // AAREN_MODEL_ENGINE_CLASSIFICATION_ROW_H_
