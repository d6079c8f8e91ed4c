#ifndef AAREN_MODEL_MATH_FMA_H_
#define AAREN_MODEL_MATH_FMA_H_

namespace aaren::math {

// True if the kernels of Highway's choice on this CPU were compiled with a fused multiply-add. Kernels without FMA
// round twice and cannot give the exact tier's bits.
bool HasFma();

}  // namespace aaren::math

#endif  // AAREN_MODEL_MATH_FMA_H_
