#ifndef AAREN_SERVER_PROGRAM_LOAD_MODELS_H_
#define AAREN_SERVER_PROGRAM_LOAD_MODELS_H_

// Loads the models named by the settings, or the bundled models.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/program/config/config.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/models/model_watch.h"

namespace aaren::program {

// The engine of the setting `device`, in the names of models::CheckEngine.
std::string EngineName(const config::ServerConfig& config);

// Loads the models, and watches their folder from then on. NotFound without a model; else as ModelWatch::Load and
// ModelTable::SetDefault.
absl::StatusOr<std::unique_ptr<models::ModelWatch>> LoadModels(const config::ServerConfig& config,
                                                               models::ModelTable& models);

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_LOAD_MODELS_H_
