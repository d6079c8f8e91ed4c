#ifndef AAREN_MODEL_PAPER_ATTENTION_MANY_RNNS_H_
#define AAREN_MODEL_PAPER_ATTENTION_MANY_RNNS_H_

// Two known models as recurrent networks (paper, §3.1). Each query is the initial state of a network of its own. The
// network has the cell of attention_state.h and runs over the tokens that the query attends to:
//
//   causal self-attention   N networks; network i has token i's query and runs over tokens 0 .. i. A new token adds a
//                           network, which runs over all earlier tokens: O(N) per token.
//   cross-attention         L networks over all N tokens. If the L queries are latents that depend on the input, as in
//                           Perceiver, a new token makes all networks run again: O(N L).
//
// Scores are <q, k> / sqrt(K). float32 or float64, any device. Differentiable. InvalidArgument names the wrong
// argument.

#include <torch/types.h>

#include "absl/status/statusor.h"

namespace aaren::attention {

// All networks advance together, token by token, in N steps.
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

#endif  // AAREN_MODEL_PAPER_ATTENTION_MANY_RNNS_H_
