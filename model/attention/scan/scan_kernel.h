#ifndef AAREN_MODEL_ATTENTION_SCAN_SCAN_KERNEL_H_
#define AAREN_MODEL_ATTENTION_SCAN_SCAN_KERNEL_H_

// The work of a device for the scan (scan.h gives the formulas). Calls have plain pointers into the device's memory, so
// that kernels know nothing of torch. The kernels are scan_cpu.cc and, in a plug-in library, scan_cuda.cu.
//
// Threading: calls may overlap if their outputs do not.

#include <cstdint>

namespace aaren::attention {

// [series, heads, tokens, width], all >= 1. Arrays with one number per token, [series, heads, tokens], are contiguous.
struct ScanShape {
  int64_t series, heads, tokens, width;
};

// Distances in numbers, not bytes. The numbers of one token are adjacent.
struct ScanStrides {
  int64_t series, head, token;
};

template <typename Float>
struct ScanForward {
  ScanShape shape;
  const Float* scores;   // [series, heads, tokens], < inf; -inf: masked
  const Float* elapsed;  // [tokens], time since the token before, 0 for the first; null: no forgetting
  const Float* decay;    // [heads], >= 0; null if elapsed is null
  const Float* values;
  ScanStrides value_strides;
  Float* outputs;
  ScanStrides output_strides;
  Float* shares;  // [series, heads, tokens]: p_k, 0 for a masked token; null: no gradient is needed
};

template <typename Float>
struct ScanBackward {
  ScanShape shape;
  const Float* shares;
  const Float* values;
  ScanStrides value_strides;
  const Float* outputs;
  ScanStrides output_strides;
  const Float* gradients;  // at the outputs
  ScanStrides gradient_strides;
  Float* score_gradients;  // [series, heads, tokens]
  Float* value_gradients;
  ScanStrides value_gradient_strides;
};

// Runs on the calling thread and on torch's thread pool. Returns when done.
void ScanOnCpu(const ScanForward<float>& call);
void ScanOnCpu(const ScanForward<double>& call);
void ScanOnCpu(const ScanBackward<float>& call);
void ScanOnCpu(const ScanBackward<double>& call);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_SCAN_KERNEL_H_
