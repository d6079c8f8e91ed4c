#ifndef AAREN_MODEL_ENGINE_FORECASTING_WEIGHTS_H_
#define AAREN_MODEL_ENGINE_FORECASTING_WEIGHTS_H_

// The weights of a forecaster as the kernels want them: layers that read the same input side by side, packed, padded
// and aligned. Threading: immutable.

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
  // REQUIRES: the package is one that LoadPackage accepted; of the fast tier, as RoundedWeights leaves it.
  explicit Weights(const package::ModelPackage& package);

  PackedMatrix embed;
  GatedMlp embed_mlp;
  std::vector<BlockWeights> blocks;
  hwy::AlignedFreeUniquePtr<float[]> norm;
  PackedMatrix head;  // [T * Q]
  PackedMatrix skip;  // [T]
  std::optional<SeasonHead> seasons;
};

// The package with the weights of its matrices as bfloat16, which the fast tier multiplies by. One that aaren-train
// wrote has such already.
package::ModelPackage RoundedWeights(package::ModelPackage package);

// What rows are held against, of each block.
std::vector<LayerBound> BoundsOf(const package::ModelPackage& package);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_WEIGHTS_H_
