#include "server/program/load_models.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "model/package/bundled.h"

namespace aaren::program {

using config::ServerConfig;

std::string EngineName(const ServerConfig& config) {
  return absl::AsciiStrToLower(ServerConfig::Device_Name(config.device()));
}

absl::StatusOr<std::unique_ptr<models::ModelWatch>> LoadModels(const ServerConfig& config, models::ModelTable& models) {
  std::string folder = config.models();
  if (folder.empty()) {
    absl::StatusOr<std::string> bundled = package::BundledModels();
    if (!bundled.ok()) return absl::NotFoundError(absl::StrCat(bundled.status().message(), "; give --models=DIR"));
    folder = *std::move(bundled);
  }
  const auto tier = config.tier() == ServerConfig::FAST ? engine::Tier::kFast : engine::Tier::kExact;
  auto watch = std::make_unique<models::ModelWatch>(models, folder, EngineName(config), tier);
  if (absl::Status status = watch->Load(); !status.ok()) return status;
  if (!config.default_model().empty()) {
    if (absl::Status status = models.SetDefault(config.default_model()); !status.ok()) return status;
  }
  const absl::Duration period = config::ToDuration(config.models_period());
  // With a period of 0 the folder is read at the start only.
  if (period > absl::ZeroDuration()) watch->Start(period);
  return watch;
}

}  // namespace aaren::program
