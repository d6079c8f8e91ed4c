#ifndef AAREN_MODEL_NN_EVENTS_TIMED_ATTENTION_H_
#define AAREN_MODEL_NN_EVENTS_TIMED_ATTENTION_H_

// Softmax attention over all tokens so far, in which tokens age by event or by the time elapsed. The engine folds the
// same attention token by token (engine/events/timed_fold.h; paper, §3.1). Differentiable once. Threading: any.

#include <ATen/core/Tensor.h>

namespace aaren::nn {

// scores   [B, N, H]
// values   [B, N, V], of which a head has V / H
// elapsed  [B, N]: the age that earlier tokens gain in the second half of the heads. In the first half the age is 1.
//          Below 0 there is no token: nothing is folded and the output is 0.
// decay    [H]: the loss of a token's score per unit of age
// Returns [B, N, V]. REQUIRES: float32 on a CPU.
at::Tensor TimedAttention(const at::Tensor& scores, const at::Tensor& values, const at::Tensor& elapsed,
                          const at::Tensor& decay);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_EVENTS_TIMED_ATTENTION_H_
