#include "model/engine/cuda/device/device_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace aaren::engine {
namespace {

constexpr char kVariable[] = "AAREN_ENGINE_PLUGIN";
constexpr char kFile[] = "libaaren_engine_cuda.so";

std::vector<std::string> Places() {
  if (const char* path = std::getenv(kVariable); path != nullptr && *path != '\0') return {path};
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  return {folder / kFile, folder.parent_path() / "lib" / kFile};
}

absl::StatusOr<const DeviceTable*> FindLibrary() {
  const std::vector<std::string> places = Places();
  std::error_code error;
  for (const std::string& path : places) {
    // The first file found decides. A broken file is an error, and no reason to run another build's kernel.
    if (std::filesystem::exists(path, error)) return OpenDeviceLibrary(path);
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "no kernel for GPUs: there is no ", absl::StrJoin(places, " and no "), "; ", kVariable, " may name the file"));
}

absl::StatusOr<const DeviceTable*> RequireUsable(absl::StatusOr<const DeviceTable*> table) {
  if (!table.ok()) return table;
  if (const char* missing = (*table)->missing()) {
    return absl::FailedPreconditionError(absl::StrCat("no GPU that the kernel can run on: ", missing));
  }
  return table;
}

}  // namespace

absl::StatusOr<const DeviceTable*> OpenDeviceLibrary(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("cannot load the kernel for GPUs from ", path, ": ", dlerror()));
  }
  const auto entry = reinterpret_cast<DeviceEntry>(dlsym(library, kDeviceEntry));
  if (entry == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " does not hold the kernel for GPUs: it has no function ", kDeviceEntry));
  }
  const DeviceTable* table = entry();
  // The version is compared before any function of the table is called, because a table of another build may have
  // another layout.
  if (table->version != kDeviceVersion) {
    return absl::FailedPreconditionError(absl::StrCat(path, " is of another build: its version is ", table->version,
                                                      "; ", kDeviceVersion, " is needed"));
  }
  return table;
}

absl::StatusOr<const DeviceTable*> UsableGpu() {
  // The search runs once. The result is never destroyed, so a thread may ask while the program ends.
  static const auto& table = *new absl::StatusOr<const DeviceTable*>(RequireUsable(FindLibrary()));
  return table;
}

}  // namespace aaren::engine
