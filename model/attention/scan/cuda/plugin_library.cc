#include "model/attention/scan/cuda/plugin_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace aaren::attention {
namespace {

constexpr char kVariable[] = "AAREN_CUDA_PLUGIN";
constexpr char kFile[] = "libaaren_cuda.so";

std::vector<std::string> Places() {
  if (const char* path = std::getenv(kVariable); path != nullptr && *path != '\0') return {path};
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  return {folder / kFile, folder.parent_path() / "lib" / kFile};
}

absl::StatusOr<const ScanPlugin*> RequireUsable(absl::StatusOr<const ScanPlugin*> plugin) {
  if (!plugin.ok()) return plugin;
  if (const char* missing = (*plugin)->missing()) {
    return absl::FailedPreconditionError(absl::StrCat("no GPU that the kernels can run on: ", missing));
  }
  return plugin;
}

}  // namespace

absl::StatusOr<const ScanPlugin*> OpenScanPlugin(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("cannot load the kernels for GPUs from ", path, ": ", dlerror()));
  }
  const auto entry = reinterpret_cast<ScanPluginEntry>(dlsym(library, kScanPluginEntry));
  if (entry == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " does not hold kernels for GPUs: it has no function ", kScanPluginEntry));
  }
  // The version is compared before any function of the table is called, because a table of another build may have
  // another layout.
  const ScanPlugin* plugin = entry();
  if (plugin->version != kScanPluginVersion) {
    return absl::FailedPreconditionError(absl::StrCat(path, " is of another build: its version is ", plugin->version,
                                                      "; ", kScanPluginVersion, " is needed"));
  }
  return plugin;
}

absl::StatusOr<const ScanPlugin*> FindScanPlugin() {
  const std::vector<std::string> places = Places();
  std::error_code error;
  for (const std::string& path : places) {
    // The first file found decides. A broken file is an error, and no reason to run another build's kernels.
    if (std::filesystem::exists(path, error)) return OpenScanPlugin(path);
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "no kernels for GPUs: there is no ", absl::StrJoin(places, " and no "), "; ", kVariable, " may name the file"));
}

absl::StatusOr<const ScanPlugin*> UsableScanPlugin() {
  // The search runs once. The result is never destroyed, so a thread may ask while the program ends.
  static const auto& plugin = *new absl::StatusOr<const ScanPlugin*>(RequireUsable(FindScanPlugin()));
  return plugin;
}

}  // namespace aaren::attention
