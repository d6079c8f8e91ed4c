#ifndef AAREN_MODEL_PAPER_ATTENTION_LINEAR_LINEAR_H_
#define AAREN_MODEL_PAPER_ATTENTION_LINEAR_LINEAR_H_

// Linear attention (Katharopoulos et al. 2020): the weight of token j in the output of token i is phi(q_i) . phi(k_j)
// with phi(x) = elu(x) + 1 > 0. This product replaces the exponential of softmax attention, so the sum over tokens can
// be computed before the query is known:
//
//   S_i = S_{i-1} + phi(k_i) v_i^T,   Z_i = Z_{i-1} + phi(k_i),   o_i = phi(q_i)^T S_i / phi(q_i)^T Z_i
//
// One definition is evaluated in four ways that agree up to rounding: the dense quadratic reference, a causal scan for
// training, a recurrence with the state (S, Z), and attention without causal order.
//
// Shapes: queries and keys [*, N, K], values [*, N, D], before phi; alike, float32 or float64, any strides, any device.
// A token whose weights are all too small for the dtype has an output and a gradient of zero. Too small is a sum below
// 1e-30 in float32 or 1e-290 in float64, from keys or queries far below zero. REQUIRES: sums do not overflow.
//
// Errors: InvalidArgument that names the argument and both values.

#include <torch/types.h>

#include "absl/status/statusor.h"

namespace aaren::attention {

// phi(x) = elu(x) + 1, in the shape of x: x + 1 above 0, exp(x) below. Exact up to rounding, also far below 0.
torch::Tensor PositiveFeatures(const torch::Tensor& x);

// Every token sees all N tokens. Returns [*, N, D] in O(N K D) time and O(N) memory.
absl::StatusOr<torch::Tensor> LinearAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                              const torch::Tensor& values);

// Token i sees tokens 0 .. i. The reference of the tests: forms the weights of all pairs, in O(N^2) time and memory.
absl::StatusOr<torch::Tensor> DenseCausalLinearAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                                         const torch::Tensor& values);

// Token i sees tokens 0 .. i. Computes by chunks of tokens, in O(N) time and memory, and keeps only the inputs for the
// gradient. Can be differentiated twice.
absl::StatusOr<torch::Tensor> CausalLinearAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                                    const torch::Tensor& values);

// The memory of linear attention of all tokens so far. The sum of two states is the state of both sets of tokens.
struct LinearState {
  torch::Tensor s;  // [*, K, D]
  torch::Tensor z;  // [*, K]
};

// The state of no tokens.
LinearState EmptyLinearState(at::IntArrayRef leading_sizes, int64_t key_width, int64_t value_width,
                             const torch::TensorOptions& options);

// Adds one token to each state: keys [*, K], values [*, D]. REQUIRES: shapes, dtypes and devices that agree.
LinearState Fold(const LinearState& state, const torch::Tensor& keys, const torch::Tensor& values);

// o for queries [*, K]: [*, D]; zeros for the state of no tokens. REQUIRES: shapes, dtypes and devices that agree.
torch::Tensor Output(const LinearState& state, const torch::Tensor& queries);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_PAPER_ATTENTION_LINEAR_LINEAR_H_
