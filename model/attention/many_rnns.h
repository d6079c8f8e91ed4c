#ifndef AAREN_MODEL_ATTENTION_MANY_RNNS_H_
#define AAREN_MODEL_ATTENTION_MANY_RNNS_H_

// Known models read as recurrent networks (paper, §3.1). Each query is the initial state of a network of its own, with
// the cell of attention_state.h, that runs over the tokens it attends to:
//
//   causal self-attention   N networks, the i-th with token i's query over tokens 0 .. i. A new token adds a network
//                           that must run over all tokens before it: O(N) a token.
//   cross-attention         L networks over all N tokens. Where the L queries are latents that depend on the input, as
//                           in Perceiver, a new token means running all of them again: O(N L).
//
// Scores are <q, k> / sqrt(K). float32 or float64, any device. Differentiable. InvalidArgument names the argument that
// is wrong.

#include <torch/types.h>

#include "absl/status/statusor.h"

namespace aaren::attention {

// All networks advance together, token by token: N steps, a state each.
//   queries, keys  [*, N, K]
//   values         [*, N, D]
// Returns [*, N, D], equal to CausalSoftmaxAttention of softmax.h.
absl::StatusOr<torch::Tensor> CausalAttentionAsRnns(const torch::Tensor& queries, const torch::Tensor& keys,
                                                    const torch::Tensor& values);

// All networks advance together, block by block.
//   queries     [*, L, K], L >= 1
//   keys        [*, N, K]
//   values      [*, N, D]
//   block_size  b >= 1; the last block may be shorter. Memory beyond inputs and outputs: O(L b D).
// Returns [*, L, D].
absl::StatusOr<torch::Tensor> CrossAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                             const torch::Tensor& values, int64_t block_size = 64);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_MANY_RNNS_H_
