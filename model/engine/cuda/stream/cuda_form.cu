// One form of the streamed kernel, number AAREN_FORM.
//
// Compiled with -fmad=false -ftz=false -prec-div=true -prec-sqrt=true: the exact tier's bits depend on it.

#include "model/engine/cuda/stream/cuda_block.h"
#include "model/engine/cuda/stream/cuda_launch.h"
#include "model/engine/cuda/stream/kernel.h"

namespace aaren::engine {
namespace {

constexpr StreamForm kForm = kStreamForms[AAREN_FORM];

__global__ void __launch_bounds__(kStreamThreads, 1)
    StreamForward(const __grid_constant__ ForwardCall call, const __grid_constant__ StreamPlan plan) {
  CudaStreamBlock<kForm.blocks> block;
  RunStream<kForm.tokens, kForm.blocks>(block, call, plan);
}

}  // namespace

template <>
const void* StreamKernelOf<AAREN_FORM>() {
  return reinterpret_cast<const void*>(StreamForward);
}

}  // namespace aaren::engine
