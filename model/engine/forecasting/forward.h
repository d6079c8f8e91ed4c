#ifndef AAREN_MODEL_ENGINE_FORECASTING_FORWARD_H_
#define AAREN_MODEL_ENGINE_FORECASTING_FORWARD_H_

// The network on this CPU: embedding, blocks and head (model/README.md, steps 3 to 5) of 64 tokens at a time. Product
// by product for the whole tile; only the attention goes token by token, in order. What the layers remember of a series
// lies in its row (row.h). A pass is done when Begin returns.

#include <memory>

#include "model/engine/forecasting/network.h"
#include "model/engine/tier.h"
#include "model/package/package.h"

namespace aaren::engine {

// For a package that LoadPackage accepted. Of the fast tier, its weights are such as RoundedWeights leaves them.
std::unique_ptr<Network> NewHostNetwork(const package::ModelPackage& package, Tier tier);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_FORWARD_H_
