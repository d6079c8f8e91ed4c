#ifndef AAREN_MODEL_ENGINE_FORECASTING_NETWORK_H_
#define AAREN_MODEL_ENGINE_FORECASTING_NETWORK_H_

// A Network is where tiles go through the layers: this CPU (forward.h) or a device (../cuda/). Whatever it is, it folds
// the tile's tokens into what its layers remember of their rows, in order, and writes the forecasts wanted and those of
// probes, as the network makes them. Everything before and after that is the task's, on the CPU.
//
//   tile is full, or the batch ends ──► Begin(tile) ──► Done() ... ──► End(tile) ──► the forecasts are written
//
// Threading: a Network is immutable; a Pass is of one thread. Lifetime: the network outlives its passes.

#include <cstddef>
#include <memory>

#include "absl/status/status.h"

namespace aaren::engine {

struct Tile;

class Network {
 public:
  // The way of one tile at a time, and all the memory that takes. Its end waits for the tile under way.
  class Pass {
   public:
    virtual ~Pass() = default;

    // Sends the tile on its way; until End the tile and what its tokens point to stay as they are. The inputs may be
    // overwritten. REQUIRES: tile.size > 0; no other is under way.
    virtual void Begin(Tile& tile) = 0;

    // Whether End would not block.
    virtual bool Done() = 0;

    // Blocks until the tile is through. A token that only probes has its forecast in the pass's own memory, until the
    // next Begin. Internal if the device failed: neither the rows nor the forecasts are to be trusted.
    virtual absl::Status End(Tile& tile) = 0;
  };

  virtual ~Network() = default;
  virtual size_t tile_tokens() const = 0;  // of a pass at most
  virtual std::unique_ptr<Pass> NewPass() const = 0;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_NETWORK_H_
