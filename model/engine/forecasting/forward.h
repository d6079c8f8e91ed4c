#ifndef AAREN_MODEL_ENGINE_FORECASTING_FORWARD_H_
#define AAREN_MODEL_ENGINE_FORECASTING_FORWARD_H_

// The network, over a tile: embedding, blocks and head (model/README.md, steps 3 to 5). Product by product for the
// whole tile; only the attention goes token by token, in order.

#include "model/engine/forecasting/row.h"
#include "model/engine/forecasting/tile.h"
#include "model/engine/forecasting/weights.h"

namespace aaren::engine {

// Takes tile.tokens from their inputs through all layers, folds them into their rows and writes the forecasts wanted
// and those of probes, as the network makes them. The tile's buffers are overwritten; its tokens stay, for the caller
// to finish with.
void Forward(const package::ForecasterConfig& config, const Weights& weights, const RowLayout& layout, Tile& tile);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_FORWARD_H_
