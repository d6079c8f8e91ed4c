#ifndef AAREN_MODEL_ENGINE_CUDA_TILE_PLAN_H_
#define AAREN_MODEL_ENGINE_CUDA_TILE_PLAN_H_

// Which block of threads takes which tokens of a call (program.h). Tokens of one row go to one block; a run that is
// longer than a tile has a block of its own, which takes it tile by tile. Shorter runs share tiles, as many as fit.

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
