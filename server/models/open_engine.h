#ifndef AAREN_SERVER_MODELS_OPEN_ENGINE_H_
#define AAREN_SERVER_MODELS_OPEN_ENGINE_H_

// Makes the engine that the settings name, for a model. Another kind of engine is added here.

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/engine/engine.h"
#include "model/package/package.h"

namespace aaren::models {

inline constexpr char kDefaultEngine[] = "auto";  // the fastest that this machine has

// InvalidArgument for a name that this build has no engine of, naming those it has.
absl::Status CheckEngine(const std::string& name);

// As CheckEngine, or as the engine's own maker.
absl::StatusOr<std::unique_ptr<engine::Engine>> OpenEngine(const std::string& name,
                                                           const package::ModelPackage& package);

}  // namespace aaren::models

#endif  // AAREN_SERVER_MODELS_OPEN_ENGINE_H_
