#include "model/attention/scan/cuda/scan_cuda.h"

#include "absl/strings/str_cat.h"
#include "model/attention/scan/cuda/plugin_library.h"

namespace aaren::attention {
namespace {

// `launch` is the member of the plug-in's table for this kind of call.
template <typename Call>
absl::Status Scan(const char* (*ScanPlugin::*launch)(const Call&, int, void*), const Call& call, int device,
                  void* stream) {
  const absl::StatusOr<const ScanPlugin*> plugin = UsableScanPlugin();
  if (!plugin.ok()) return plugin.status();
  const char* error = ((*plugin)->*launch)(call, device, stream);
  if (error == nullptr) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the scan did not start on GPU ", device, ": ", error));
}

}  // namespace

absl::Status ScanOnCuda(const ScanForward<float>& call, int device, void* stream) {
  return Scan(&ScanPlugin::forward_float, call, device, stream);
}

absl::Status ScanOnCuda(const ScanForward<double>& call, int device, void* stream) {
  return Scan(&ScanPlugin::forward_double, call, device, stream);
}

absl::Status ScanOnCuda(const ScanBackward<float>& call, int device, void* stream) {
  return Scan(&ScanPlugin::backward_float, call, device, stream);
}

absl::Status ScanOnCuda(const ScanBackward<double>& call, int device, void* stream) {
  return Scan(&ScanPlugin::backward_double, call, device, stream);
}

}  // namespace aaren::attention
