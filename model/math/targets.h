#ifndef AAREN_MODEL_MATH_TARGETS_H_
#define AAREN_MODEL_MATH_TARGETS_H_

// The instruction sets for which no kernel is compiled. Include this file before any header of Highway. Some sets lack
// a fused multiply-add and could not give the exact tier's bits. Some have vectors of unknown size, and some gain
// nothing over the next smaller set. The baseline of Highway's may lack FMA as well; HasFma() tells if the kernels of
// this machine's CPU are exact.

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#endif  // AAREN_MODEL_MATH_TARGETS_H_
