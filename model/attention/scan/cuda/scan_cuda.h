#ifndef AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_CUDA_H_
#define AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_CUDA_H_

// The scan (scan_kernel.h) on an NVIDIA GPU, through the plug-in library that plugin_library.h finds.
//
//   device  index of the GPU; all pointers of the call point into the GPU's memory
//   stream  a stream of the GPU, a cudaStream_t; null is the default stream
// Returns when the work is enqueued. FailedPrecondition says if kernels, a driver or a GPU are missing. Internal says
// why the kernels did not start.

#include "absl/status/status.h"
#include "model/attention/scan/scan_kernel.h"

namespace aaren::attention {

absl::Status ScanOnCuda(const ScanForward<float>& call, int device, void* stream);
absl::Status ScanOnCuda(const ScanForward<double>& call, int device, void* stream);
absl::Status ScanOnCuda(const ScanBackward<float>& call, int device, void* stream);
absl::Status ScanOnCuda(const ScanBackward<double>& call, int device, void* stream);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_CUDA_H_
