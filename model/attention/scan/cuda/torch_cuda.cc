#include "model/attention/scan/cuda/torch_cuda.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <torch/cuda.h>

#include <climits>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace aaren::attention {
namespace {

// The folder of the loaded libtorch_cpu.so.
absl::StatusOr<std::string> TorchFolder() {
  // RTLD_NOLOAD finds the library already in use, and never loads a second copy from another folder.
  void* library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  char folder[PATH_MAX];
  if (library == nullptr || dlinfo(library, RTLD_DI_ORIGIN, folder) != 0) {
    return absl::FailedPreconditionError(absl::StrCat("cannot tell where LibTorch lies: ", dlerror()));
  }
  dlclose(library);
  return folder;
}

absl::Status Load() {
  const absl::StatusOr<std::string> folder = TorchFolder();
  if (!folder.ok()) return folder.status();
  const std::string path = absl::StrCat(*folder, "/libtorch_cuda.so");
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("cannot load LibTorch for CUDA from ", path, ": ", dlerror()));
  }
  // Loading is no proof of a GPU. torch itself must see a device, and the message names the three known reasons.
  if (torch::cuda::device_count() > 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "LibTorch finds no GPU: there is none, its driver is missing or too old, or torch was used before its CUDA "
      "library was loaded");
}

}  // namespace

absl::Status LoadTorchCuda() {
  static const absl::Status& status = *new absl::Status(Load());
  return status;
}

void* CurrentCudaStream(const c10::Device& device) {
  // Torch's registry of device guards gives the stream, so this file compiles without CUDA's headers.
  return c10::impl::VirtualGuardImpl(c10::kCUDA).getStream(device).native_handle();
}

}  // namespace aaren::attention
