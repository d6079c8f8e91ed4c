#ifndef AAREN_MODEL_TRAINING_LOSS_SOFTPLUS_H_
#define AAREN_MODEL_TRAINING_LOSS_SOFTPLUS_H_

#include <cstddef>

namespace aaren::training {

// Writes softplus(x) = log(1 + exp(x)) and its slope sigmoid(x) for `count` numbers, with the machine's vector
// instructions. REQUIRES: the arrays do not overlap.
void SoftplusAndSlope(const float* x, size_t count, float* softplus, float* slope);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_LOSS_SOFTPLUS_H_
