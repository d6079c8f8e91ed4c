#include "model/package/bundled.h"

#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace aaren::package {

absl::StatusOr<std::string> BundledModels() {
  std::error_code error;
  const std::filesystem::path bin = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"../share/aaren/models", "../../../model/bundled"}) {
    const std::filesystem::path folder = (bin / place).lexically_normal();
    if (std::filesystem::is_directory(folder, error)) return folder.string();
  }
  return absl::NotFoundError(absl::StrCat("no bundled models near ", bin.string()));
}

absl::StatusOr<std::string> BundledPackage(const std::string& name) {
  const absl::StatusOr<std::string> models = BundledModels();
  if (!models.ok()) return models.status();
  const std::string folder = absl::StrCat(*models, "/", name);
  if (std::error_code error; std::filesystem::exists(folder + "/model.json", error)) return folder;
  return absl::NotFoundError(absl::StrCat("no bundled model ", name, " in ", *models));
}

}  // namespace aaren::package
