#ifndef AAREN_SERVER_MODELS_LOADED_MODEL_H_
#define AAREN_SERVER_MODELS_LOADED_MODEL_H_

// A LoadedModel is a package in memory, with the engine that runs it. It lives as long as anybody holds a ModelRef: the
// table, a shard that has a lane of it, an Open or a state on its way. A session holds none: its row is in such a lane.
//
// A package may be loaded in both tiers: new sessions get the one, and those that began in the other one keep that.
//
// Threading: constant but for its counters and `retiring`, so any thread may use it.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "model/engine/engine.h"
#include "model/package/package.h"
#include "server/models/model_counters.h"
#include "server/task/conversion.h"

namespace aaren::models {

struct LoadedModel : std::enable_shared_from_this<LoadedModel> {
  package::ModelPackage package;  // the tensors are dropped once the engine has packed them
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<const task::Conversion> conversion;
  std::string id;  // "name:version"
  int index = 0;   // small, and no other model's while anybody holds this one

  std::atomic<bool> retiring{false};  // not offered any more; set by the table
  mutable ModelCounterBlocks counters;

  std::shared_ptr<LoadedModel> other_tier;  // of the same package, id and retirement; null: it has none, or is one

  // In its own tier.
  uint64_t sessions() const {
    uint64_t sum = 0;
    counters.ForEach([&sum](const ModelCounters& block) { sum += block.sessions.value(); });
    return sum;
  }
};

using ModelRef = std::shared_ptr<const LoadedModel>;

}  // namespace aaren::models

#endif  // AAREN_SERVER_MODELS_LOADED_MODEL_H_
