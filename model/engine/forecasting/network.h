#ifndef AAREN_MODEL_ENGINE_FORECASTING_NETWORK_H_
#define AAREN_MODEL_ENGINE_FORECASTING_NETWORK_H_

// A Network takes tiles through the layers, on this CPU (forward.h) or on a device (../cuda/). A network folds the
// tile's tokens into the layers' states of the tokens' rows, in order. Then the network writes the wanted forecasts and
// those of probes, unrefined. All work before and after belongs to the task, on the CPU.
//
//   tile is full, or the batch ends ──► Begin(tile) ──► Done() ... ──► End(tile) ──► the forecasts are written
//
// Threading: a Network is immutable; a Pass belongs to one thread. Lifetime: the network outlives its passes.

#include <cstddef>
#include <memory>

#include "absl/status/status.h"

namespace aaren::engine {

struct Tile;

class Network {
 public:
  // A Pass takes one tile at a time through the layers, and owns the memory for that. The destructor waits for a tile
  // under way.
  class Pass {
   public:
    virtual ~Pass() = default;

    // Sends the tile on its way. Until End, the caller leaves the tile and the memory behind its tokens' pointers
    // unchanged. The pass may overwrite the inputs. REQUIRES: tile.size > 0, and no tile is under way.
    virtual void Begin(Tile& tile) = 0;

    // True once End would not block.
    virtual bool Done() = 0;

    // Blocks until the tile is through. The forecast of a token that only probes lies in the pass's own memory until
    // the next Begin. Internal if the device failed; then neither rows nor forecasts may be trusted.
    virtual absl::Status End(Tile& tile) = 0;
  };

  virtual ~Network() = default;
  virtual size_t tile_tokens() const = 0;  // the most tokens of a pass
  virtual std::unique_ptr<Pass> NewPass() const = 0;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_NETWORK_H_
