#ifndef AAREN_MODEL_ENGINE_CUDA_TILE_PLAN_H_
#define AAREN_MODEL_ENGINE_CUDA_TILE_PLAN_H_

// A TilePlan gives the tokens of a call to blocks of threads (program.h). Tokens of one row go to one block. A run
// longer than a tile has a block to itself, and passes tile by tile. Shorter runs share a tile.

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "model/engine/cuda/program.h"

namespace aaren::engine {

struct TilePlan {
  std::vector<DeviceTile> tiles;
  std::vector<DeviceBlock> blocks;
};

// Overwrites `plan`. REQUIRES: tokens of one state are side by side.
void PlanTiles(absl::Span<const DeviceToken> tokens, size_t tile_tokens, TilePlan& plan);

// The most tokens of one state, side by side.
size_t LongestRun(absl::Span<const DeviceToken> tokens);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_TILE_PLAN_H_
