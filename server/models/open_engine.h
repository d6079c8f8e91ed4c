#ifndef AAREN_SERVER_MODELS_OPEN_ENGINE_H_
#define AAREN_SERVER_MODELS_OPEN_ENGINE_H_

// Makes the engines that the settings name, for a model, and logs where it computes. Another kind of engine is added
// here.

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/engine/engine.h"
#include "model/engine/tier.h"
#include "model/package/package.h"

namespace aaren::models {

// A GPU if this machine has one that holds the model, else the CPU.
inline constexpr char kDefaultEngine[] = "auto";

// InvalidArgument for a name of no engine, naming those there are. FailedPrecondition for `cuda` where something is
// missing for it: the library, the driver, the GPU.
absl::Status CheckEngine(const std::string& name);

// Of one package, in both tiers: for new sessions, and for those that began in the other tier.
struct Engines {
  std::unique_ptr<engine::Engine> offered, other;
};

// New sessions are of `tier`, but exact where this CPU is no faster in the fast one, which has no AMX. The log says so.
absl::StatusOr<Engines> OpenEngines(const std::string& name, engine::Tier tier, const package::ModelPackage& package);

// The one of the exact tier. As CheckEngine, or as the engine's own maker.
absl::StatusOr<std::unique_ptr<engine::Engine>> OpenEngine(const std::string& name,
                                                           const package::ModelPackage& package);

}  // namespace aaren::models

#endif  // AAREN_SERVER_MODELS_OPEN_ENGINE_H_
