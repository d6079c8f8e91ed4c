#ifndef AAREN_MODEL_ENGINE_FORECASTING_FORWARD_H_
#define AAREN_MODEL_ENGINE_FORECASTING_FORWARD_H_

// The network on this CPU: embedding, blocks and head (model/README.md, steps 3 to 5) for 64 tokens at a time. Each
// product covers the whole tile; only the attention takes one token after the other, in order. A layer's state lies in
// the rows (row.h). A pass is done when Begin returns.

#include <memory>

#include "model/engine/forecasting/network.h"
#include "model/engine/tier.h"
#include "model/package/package.h"

namespace aaren::engine {

// Makes the network. REQUIRES: LoadPackage accepted the package. For the fast tier, the package comes from
// RoundedWeights.
std::unique_ptr<Network> NewHostNetwork(const package::ModelPackage& package, Tier tier);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_FORWARD_H_
