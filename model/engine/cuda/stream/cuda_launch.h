#ifndef AAREN_MODEL_ENGINE_CUDA_STREAM_CUDA_LAUNCH_H_
#define AAREN_MODEL_ENGINE_CUDA_STREAM_CUDA_LAUNCH_H_

// The streamed kernel for GPUs of compute capability 9.0, a function for each form: each is compiled by itself, from
// cuda_form.cu with AAREN_FORM set. For the CUDA compiler only.

#include <cuda_runtime.h>

#include "model/engine/cuda/stream/plan.h"

namespace aaren::engine {

template <int kForm>
const void* StreamKernelOf();

struct StreamLauncher {
  // The kernel of each form; null where this build has none.
  static const void* KernelOf(int form);

  // How many clusters of the form run beside each other on the current GPU, with all of a block's shared memory. 0 if
  // it cannot run the kernel. Makes the kernel ready for Launch.
  static int Clusters(int form, int shared_bytes);

  static cudaError_t Launch(cudaStream_t stream, const ForwardCall& call, const StreamPlan& plan);
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_STREAM_CUDA_LAUNCH_H_
