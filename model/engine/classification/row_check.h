#ifndef AAREN_MODEL_ENGINE_CLASSIFICATION_ROW_CHECK_H_
#define AAREN_MODEL_ENGINE_CLASSIFICATION_ROW_CHECK_H_

// RowBounds tells whether a row from outside can be the row of any series, so that no row makes a probability that is
// not a number. Every layer's input is bounded: the first by the clamp of standardised values, the others by the
// LayerNorm before, whose normal numbers are at most sqrt(d). Scores, values and logits are sums over bounded inputs.
// The bounds grow by kRounding for the rounding of products and folds (model/engine/network/layer_bound.h).
// Threading: immutable.

#include <vector>

#include "absl/status/status.h"
#include "model/engine/classification/row.h"
#include "model/package/package.h"

namespace aaren::classification {

class RowBounds {
 public:
  // REQUIRES: CheckClassifierPackage accepted the package.
  explicit RowBounds(const package::ModelPackage& package);

  // DataLoss, naming the field. REQUIRES: the row has taken a token.
  absl::Status Check(const RowView& row) const;

 private:
  struct Layer {
    std::vector<double> peak, output;  // the largest magnitudes, [kHeads] and [kWidth]
  };
  size_t steps_, recent_;
  std::vector<Layer> layers_;
  std::vector<double> logits_;  // [C], over all steps
};

}  // namespace aaren::classification

#endif  // AAREN_MODEL_ENGINE_CLASSIFICATION_ROW_CHECK_H_
