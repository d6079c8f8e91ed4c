#ifndef AAREN_SERVER_SESSIONS_MODELS_OPEN_ENGINE_H_
#define AAREN_SERVER_SESSIONS_MODELS_OPEN_ENGINE_H_

// Makes the engines named by the settings, for a model, and logs where each computes. Another kind of engine is added
// here.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/engine/engine.h"
#include "model/engine/tier.h"
#include "model/package/package.h"

namespace aaren::models {

// A GPU if the machine has one with room for the model, else the CPU.
inline constexpr char kDefaultEngine[] = "auto";

// InvalidArgument for an unknown name, naming the engines. FailedPrecondition for `cuda` without the library, the
// driver, or the GPU.
absl::Status CheckEngine(const std::string& name);

// The engines of one package: for new sessions, and for sessions of other tiers. A model of another kind than
// "forecaster" computes on the CPU, in the tier exact only.
struct Engines {
  std::unique_ptr<engine::Engine> offered;
  std::vector<std::unique_ptr<engine::Engine>> others;  // the other plain tier, then the extended tier if there is one
};

// The extended tier is on the CPU, whatever `name` says: few sessions are of that tier. New sessions get `tier`, but
// exact on a CPU without AMX, where the fast tier is no faster. The log tells.
absl::StatusOr<Engines> OpenEngines(const std::string& name, engine::Tier tier, const package::ModelPackage& package);

// The engine of the exact tier. Errors as CheckEngine, or the engine's own.
absl::StatusOr<std::unique_ptr<engine::Engine>> OpenEngine(const std::string& name,
                                                           const package::ModelPackage& package);

}  // namespace aaren::models

#endif  // AAREN_SERVER_SESSIONS_MODELS_OPEN_ENGINE_H_
