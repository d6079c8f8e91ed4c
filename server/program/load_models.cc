#include "server/program/load_models.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace aaren::program {
namespace {

using config::ServerConfig;

// The folder of the bundled models: beside an installed program, or in the source tree around build/PRESET/bin.
absl::StatusOr<std::string> BundledModels() {
  std::error_code error;
  const std::filesystem::path bin = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"../share/aaren/models", "../../../model/bundled"}) {
    const std::filesystem::path folder = (bin / place).lexically_normal();
    if (std::filesystem::is_directory(folder, error)) return folder.string();
  }
  return absl::NotFoundError(absl::StrCat("no bundled models near ", bin.string(), "; give --models=DIR"));
}

}  // namespace

std::string EngineName(const ServerConfig& config) {
  return absl::AsciiStrToLower(ServerConfig::Device_Name(config.device()));
}

absl::StatusOr<std::unique_ptr<models::ModelWatch>> LoadModels(const ServerConfig& config, models::ModelTable& models) {
  std::string folder = config.models();
  if (folder.empty()) {
    absl::StatusOr<std::string> bundled = BundledModels();
    if (!bundled.ok()) return bundled.status();
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
