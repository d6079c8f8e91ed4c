#ifndef AAREN_TESTS_MODEL_ATTENTION_SCAN_WARP_EMULATOR_H_
#define AAREN_TESTS_MODEL_ATTENTION_SCAN_WARP_EMULATOR_H_

// Runs device code on the CPU, to test kernels without a GPU. A source with the header and afterwards a .cuh compiles
// the kernels as plain C++. Every thread of a block is a fiber. A fiber at a shuffle or a barrier lets the rest of the
// block run until all have arrived. Blocks run singly.
//
// The emulation shows right arithmetic, indices and barriers. The emulation cannot show a race between warps, or speed.
// A barrier never reached by some threads is a failed check.

#include <math.h>  // NOLINT: device code calls fma, exp and the like by their global names

#include <cstdint>
#include <functional>

#define __device__
#define __global__
#define __host__
#define __shared__ static
#define __launch_bounds__(...)

namespace aaren::attention {

struct EmulatedIndex {
  unsigned x;
};

// Runs `kernel` as every thread of every block.
void EmulateGrid(int64_t blocks, int threads, const std::function<void()>& kernel);

// The value given by the warp's lane `source`. Every lane of the warp calls EmulateExchange.
double EmulateExchange(double value, int source);

int EmulatedLane();  // lane of the running thread

}  // namespace aaren::attention

extern aaren::attention::EmulatedIndex threadIdx, blockIdx, blockDim, gridDim;

void __syncthreads();
bool __all_sync(unsigned, bool holds);

template <typename Float>
Float __shfl_sync(unsigned, Float value, int source) {
  return static_cast<Float>(aaren::attention::EmulateExchange(value, source));
}

template <typename Float>
Float __shfl_up_sync(unsigned, Float value, int offset) {
  const int lane = aaren::attention::EmulatedLane();
  return static_cast<Float>(aaren::attention::EmulateExchange(value, lane < offset ? lane : lane - offset));
}

template <typename Float>
Float __shfl_xor_sync(unsigned, Float value, int bits) {
  return static_cast<Float>(aaren::attention::EmulateExchange(value, aaren::attention::EmulatedLane() ^ bits));
}

#endif  // AAREN_TESTS_MODEL_ATTENTION_SCAN_WARP_EMULATOR_H_
