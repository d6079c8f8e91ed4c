#ifndef AAREN_SERVER_PROGRAM_LOAD_MODELS_H_
#define AAREN_SERVER_PROGRAM_LOAD_MODELS_H_

// The models that the settings name, or the bundled ones.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/config/config.h"
#include "server/models/model_table.h"
#include "server/models/model_watch.h"

namespace aaren::program {

// Of the setting `device`, as models::CheckEngine knows it.
std::string EngineName(const config::ServerConfig& config);

// Loads them, and watches their folder from then on. NotFound where there is no model; else as ModelWatch::Load and
// ModelTable::SetDefault.
absl::StatusOr<std::unique_ptr<models::ModelWatch>> LoadModels(const config::ServerConfig& config,
                                                               models::ModelTable& models);

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_LOAD_MODELS_H_
