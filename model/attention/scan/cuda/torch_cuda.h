#ifndef AAREN_MODEL_ATTENTION_SCAN_CUDA_TORCH_CUDA_H_
#define AAREN_MODEL_ATTENTION_SCAN_CUDA_TORCH_CUDA_H_

// What a program needs of torch to work on a GPU, though it links only torch's CPU libraries: one build then serves
// machines with and without a GPU.

#include <c10/core/Device.h>

#include "absl/status/status.h"

namespace aaren::attention {

// Loads torch's CUDA library, libtorch_cuda.so beside its CPU library, so that there can be CUDA tensors. Call it
// before anything else of torch: torch asks once whether there is CUDA, at torch::manual_seed for one, and remembers.
// FailedPrecondition if the library, one that it needs, a driver or a GPU is missing; torch then goes on without.
absl::Status LoadTorchCuda();

// The cudaStream_t that torch uses at present on a CUDA device, or on the current one if the device has no index.
// REQUIRES: LoadTorchCuda was OK.
void* CurrentCudaStream(const c10::Device& device);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_CUDA_TORCH_CUDA_H_
