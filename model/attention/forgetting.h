#ifndef AAREN_MODEL_ATTENTION_FORGETTING_H_
#define AAREN_MODEL_ATTENTION_FORGETTING_H_

// Forgetting lowers a token's score by decay_h for every unit of time since (beyond the paper, whose decay is 0). The
// softmax at time t weighs token i by exp(s_i - decay_h * (t - t_i)). It stays exact softmax attention.

#include <torch/types.h>

#include "absl/status/status.h"

namespace aaren::attention {

// Nothing is forgotten by default.
struct Forgetting {
  torch::Tensor positions;  // [N], any real or integer dtype, ascending: the times of the tokens
  torch::Tensor decay;      // [H], of the scores' dtype, >= 0, in 1 / unit of time

  bool any() const { return decay.defined(); }
};

// OK if nothing is forgotten. Else scores must be [*, H, N], H and N agree, positions ascend and no decay be negative:
// InvalidArgument names the argument and both values.
absl::Status RequireForgetting(const Forgetting& forgetting, const torch::Tensor& scores);

// u_i = s_i + decay_h * (t_i - t_0), [*, H, N] as the scores: plain attention over u is attention over s that forgets.
// Differentiable. REQUIRES: RequireForgetting.
torch::Tensor Undecayed(const torch::Tensor& scores, const Forgetting& forgetting);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_FORGETTING_H_
