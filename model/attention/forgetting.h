#ifndef AAREN_MODEL_ATTENTION_FORGETTING_H_
#define AAREN_MODEL_ATTENTION_FORGETTING_H_

// Forgetting lowers a token's score by decay_h per unit of time since the token (the paper has no decay). The softmax
// at time t weighs token i by exp(s_i - decay_h * (t - t_i)), and stays exact softmax attention.

#include <torch/types.h>

#include "absl/status/status.h"

namespace aaren::attention {

// By default nothing is forgotten.
struct Forgetting {
  torch::Tensor positions;  // [N], any real or integer dtype, ascending: times of the tokens
  torch::Tensor decay;      // [H], of the scores' dtype, >= 0, in 1 / unit of time

  bool any() const { return decay.defined(); }
};

// OK if nothing is forgotten. Else scores must be [*, H, N], H and N must agree, positions must ascend, and no decay
// may be negative. InvalidArgument names the argument and both values.
absl::Status RequireForgetting(const Forgetting& forgetting, const torch::Tensor& scores);

// u_i = s_i + decay_h * (t_i - t_0), [*, H, N] like the scores. Plain attention over u is attention over s with
// forgetting. Differentiable. REQUIRES: RequireForgetting is OK.
torch::Tensor Undecayed(const torch::Tensor& scores, const Forgetting& forgetting);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_FORGETTING_H_
