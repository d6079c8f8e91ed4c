#ifndef AAREN_MODEL_ATTENTION_DENSE_H_
#define AAREN_MODEL_ATTENTION_DENSE_H_

// Dense causal attention with a constant query, the O(N^2) form that the recurrence and the scan are tested against:
// row k is the softmax of the scores of tokens 0 .. k, each lowered by decay * (position k - position i).

#include <torch/types.h>

namespace aaren {

//   scores     [B, H, N]; -inf masks a token
//   positions  [N], ascending, in tokens
//   decay      [H], forgetting rates >= 0
//   values     [B, H, N, D]
// Returns [B, H, N, D]; zeros where every token so far is masked. Differentiable in scores, decay and values.
torch::Tensor DenseAttention(const torch::Tensor& scores, const torch::Tensor& positions, const torch::Tensor& decay,
                             const torch::Tensor& values);

}  // namespace aaren

#endif  // AAREN_MODEL_ATTENTION_DENSE_H_
