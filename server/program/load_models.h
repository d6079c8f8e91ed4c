#ifndef AAREN_SERVER_PROGRAM_LOAD_MODELS_H_
#define AAREN_SERVER_PROGRAM_LOAD_MODELS_H_

// The models that the settings name, or the bundled ones.

#include <string>

#include "absl/status/status.h"
#include "server/config/config.h"
#include "server/models/model_table.h"

namespace aaren::program {

// Of the setting `device`, as models::CheckEngine knows it.
std::string EngineName(const config::ServerConfig& config);

// NotFound where there is no model; else as ModelTable::LoadFolder and SetDefault.
absl::Status LoadModels(const config::ServerConfig& config, models::ModelTable& models);

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_LOAD_MODELS_H_
