#ifndef AAREN_MODEL_MATH_TARGETS_H_
#define AAREN_MODEL_MATH_TARGETS_H_

// Which instruction sets the kernels are compiled for; included before any header of Highway. Those left out either
// lack a fused multiply-add (and could not give the exact tier's bits), have vectors of unknown size, or gain nothing
// over the one below. The baseline that Highway insists on may lack it too: HasFma() says whether the kernels of this
// machine's CPU are exact.

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#endif  // AAREN_MODEL_MATH_TARGETS_H_
