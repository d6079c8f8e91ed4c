#ifndef AAREN_MODEL_PAPER_ATTENTION_SOFTMAX_H_
#define AAREN_MODEL_PAPER_ATTENTION_SOFTMAX_H_

// The Transformer's causal self-attention, in which every token brings its own query (paper, §3.1). Attention with a
// constant query is compared with this function. The fast kernels are torch's.

#include <torch/types.h>

#include "absl/status/statusor.h"

namespace aaren::attention {

// Output i is the softmax over j <= i of <q_i, k_j> / sqrt(K), times the values. O(N^2) time; O(N) memory if torch has
// a fused kernel.
//   queries, keys  [*, N, K]
//   values         [*, N, D]
// Returns [*, N, D]. Differentiable. float32 or float64, any device. InvalidArgument names the wrong argument.
absl::StatusOr<torch::Tensor> CausalSoftmaxAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                                     const torch::Tensor& values);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_PAPER_ATTENTION_SOFTMAX_H_
