#ifndef AAREN_MODEL_ENGINE_FORECASTING_WEIGHTS_H_
#define AAREN_MODEL_ENGINE_FORECASTING_WEIGHTS_H_

// The weights of a forecaster as the kernels need them: packed, padded and aligned, with layers that read the same
// input side by side. Threading: immutable.

#include <hwy/aligned_allocator.h>

#include <optional>
#include <vector>

#include "model/engine/forecasting/season_head.h"
#include "model/engine/network/fold.h"
#include "model/engine/network/layer_bound.h"
#include "model/engine/network/packed_matrix.h"
#include "model/package/package.h"

namespace aaren::engine {

// x -> down(silu(gate x) * (up x))
struct GatedMlp {
  enum Linear { kGate, kUp };
  PackedMatrix gate_up;
  PackedMatrix down;
};

struct BlockWeights {
  enum Linear { kScore, kValue, kGate };
  hwy::AlignedFreeUniquePtr<float[]> attention_norm;  // [width, padded]
  PackedMatrix score_value_gate;
  Ageing ageing;
  PackedMatrix output;
  hwy::AlignedFreeUniquePtr<float[]> mlp_norm;
  GatedMlp mlp;
};

struct Weights {
  // REQUIRES: LoadPackage accepted the package. For the fast tier, the package comes from RoundedWeights.
  explicit Weights(const package::ModelPackage& package);

  PackedMatrix embed;
  GatedMlp embed_mlp;
  std::vector<BlockWeights> blocks;
  hwy::AlignedFreeUniquePtr<float[]> norm;
  PackedMatrix head;  // [T * Q]
  PackedMatrix skip;  // [T]
  std::optional<SeasonHead> seasons;
};

// The package with its matrices rounded to bfloat16, for the fast tier's products. A package of aaren-train has
// bfloat16 weights already.
package::ModelPackage RoundedWeights(package::ModelPackage package);

// The bounds against which rows from outside are checked, one for each block.
std::vector<LayerBound> BoundsOf(const package::ModelPackage& package);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_WEIGHTS_H_
