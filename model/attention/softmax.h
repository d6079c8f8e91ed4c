#ifndef AAREN_MODEL_ATTENTION_SOFTMAX_H_
#define AAREN_MODEL_ATTENTION_SOFTMAX_H_

// The Transformer's causal self-attention, where every token brings a query of its own (paper, §3.1): what attention
// with a constant query is compared to. Its fast kernels are torch's.

#include <torch/types.h>

#include "absl/status/statusor.h"

namespace aaren::attention {

// Output i is the softmax over j <= i of <q_i, k_j> / sqrt(K), times the values; O(N^2) time, O(N) memory where torch
// has a fused kernel.
//   queries, keys  [*, N, K]
//   values         [*, N, D]
// Returns [*, N, D]. Differentiable. float32 or float64, any device. InvalidArgument names the argument that is wrong.
absl::StatusOr<torch::Tensor> CausalSoftmaxAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                                     const torch::Tensor& values);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SOFTMAX_H_
