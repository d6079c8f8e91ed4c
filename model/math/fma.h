#ifndef AAREN_MODEL_MATH_FMA_H_
#define AAREN_MODEL_MATH_FMA_H_

namespace aaren::math {

// Whether the kernels that Highway chooses on this CPU were compiled with a fused multiply-add. Where they were not,
// each would round twice and the exact tier's bits could not be had.
bool HasFma();

}  // namespace aaren::math

#endif  // AAREN_MODEL_MATH_FMA_H_
