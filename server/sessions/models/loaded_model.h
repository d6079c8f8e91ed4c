#ifndef AAREN_SERVER_SESSIONS_MODELS_LOADED_MODEL_H_
#define AAREN_SERVER_SESSIONS_MODELS_LOADED_MODEL_H_

// A LoadedModel is a package in memory, with its engine. The model lives while a ModelRef is held: by the table, by a
// shard with a lane of the model, or by an Open or a state on its way. Sessions hold no ModelRef: a session's row is in
// a lane.
//
// A package may be loaded in several tiers. New sessions get the first, or the extended tier where they ask for more
// than plain rows can give; sessions of another tier keep theirs.
//
// Threading: constant but for the counters and `retiring`; any thread may use the model.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/engine/engine.h"
#include "model/package/package.h"
#include "server/sessions/models/model_counters.h"
#include "server/sessions/task/conversion.h"

namespace aaren::models {

struct LoadedModel : std::enable_shared_from_this<LoadedModel> {
  package::ModelPackage package;  // without tensors once the engine has packed them
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<const task::Conversion> conversion;
  std::string id;  // "name:version"
  int index = 0;   // small, and unique among living models

  std::atomic<bool> retiring{false};  // not offered any more; set by the table
  mutable ModelCounterBlocks counters;

  // The same package in other tiers; none, if this is one of them. Guarded by the mutex of the table, since sessions
  // with covariates add to the list.
  std::vector<std::shared_ptr<LoadedModel>> other_tiers;
  bool extends = false;  // a session may be of the extended tier

  // The sessions in this tier.
  uint64_t sessions() const {
    uint64_t sum = 0;
    counters.ForEach([&sum](const ModelCounters& block) { sum += block.sessions.value(); });
    return sum;
  }
};

using ModelRef = std::shared_ptr<const LoadedModel>;

}  // namespace aaren::models

#endif  // AAREN_SERVER_SESSIONS_MODELS_LOADED_MODEL_H_
