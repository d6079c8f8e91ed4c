#ifndef AAREN_MODEL_ATTENTION_SCAN_CUDA_TORCH_CUDA_H_
#define AAREN_MODEL_ATTENTION_SCAN_CUDA_TORCH_CUDA_H_

// Access to torch's GPU parts for a program that links only torch's CPU libraries. A single build serves machines with
// and without a GPU.

#include <c10/core/Device.h>

#include "absl/status/status.h"

namespace aaren::attention {

// Loads torch's CUDA library, libtorch_cuda.so beside torch's CPU library, which makes CUDA tensors possible. Call
// LoadTorchCuda before any other function of torch: torch looks for CUDA once, for example in torch::manual_seed, and
// remembers the answer. FailedPrecondition if the library, a library needed by the library, a driver or a GPU is
// missing; torch then works without CUDA.
absl::Status LoadTorchCuda();

// The cudaStream_t that torch uses now on a CUDA device, or on the current device if `device` has no index. REQUIRES:
// LoadTorchCuda returned OK.
void* CurrentCudaStream(const c10::Device& device);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_CUDA_TORCH_CUDA_H_
