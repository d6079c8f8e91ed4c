#ifndef AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_CUDA_H_
#define AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_CUDA_H_

// The scan (scan_kernel.h) on an NVIDIA GPU, by the plug-in library that plugin_library.h finds.
//
//   device  the GPU's index; all pointers of the call are into its memory
//   stream  one of its streams, a cudaStream_t; null is the default one
// Returns when the work is enqueued. FailedPrecondition says what is missing, be it the kernels, a driver or a GPU;
// Internal what kept them from starting.

#include "absl/status/status.h"
#include "model/attention/scan/scan_kernel.h"

namespace aaren::attention {

absl::Status ScanOnCuda(const ScanForward<float>& call, int device, void* stream);
absl::Status ScanOnCuda(const ScanForward<double>& call, int device, void* stream);
absl::Status ScanOnCuda(const ScanBackward<float>& call, int device, void* stream);
absl::Status ScanOnCuda(const ScanBackward<double>& call, int device, void* stream);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_CUDA_H_
