#ifndef AAREN_SERVER_SESSIONS_MODELS_WARM_UP_H_
#define AAREN_SERVER_SESSIONS_MODELS_WARM_UP_H_

// Before a model is offered, a few tokens go through its engine. A broken model shows here and not in a session, and
// the weights are then in memory and in the caches of a device.

#include "absl/status/status.h"
#include "model/engine/engine.h"
#include "server/sessions/task/conversion.h"

namespace aaren::models {

// Internal if a forecast is not finite; else as the lane. Blocks for as long as some batches take. `conversion` is that
// of the engine's package.
absl::Status WarmUp(const engine::Engine& engine, const task::Conversion& conversion);

}  // namespace aaren::models

#endif  // AAREN_SERVER_SESSIONS_MODELS_WARM_UP_H_
