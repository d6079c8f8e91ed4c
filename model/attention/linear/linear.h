#ifndef AAREN_MODEL_ATTENTION_LINEAR_LINEAR_H_
#define AAREN_MODEL_ATTENTION_LINEAR_LINEAR_H_

// Linear attention (Katharopoulos et al. 2020): the weight of token j in the output of token i is phi(q_i) . phi(k_j)
// with phi(x) = elu(x) + 1 > 0. That stands in the place of the exponential of softmax attention, so the sum over
// tokens can be taken before the query is known:
//
//   S_i = S_{i-1} + phi(k_i) v_i^T,   Z_i = Z_{i-1} + phi(k_i),   o_i = phi(q_i)^T S_i / phi(q_i)^T Z_i
//
// One definition, evaluated four ways that agree up to rounding: dense, the quadratic reference; a causal scan for
// training; a recurrence with the state (S, Z); and without causal order.
//
// Shapes: queries and keys [*, N, K], values [*, N, D], before phi; alike, float32 or float64, of any strides, on any
// device. Where every weight of a token is too small for the dtype, the output is zero, and so is its gradient. That is
// a sum under 1e-30 in float32 or 1e-290 in float64, of keys or queries far below zero. Sums must not overflow.
//
// Errors: InvalidArgument that names the argument and both values.

#include <torch/types.h>

#include "absl/status/statusor.h"

namespace aaren::attention {

// phi(x) = elu(x) + 1: x + 1 above 0, exp(x) below, of the shape of x; exact to rounding far below 0 too.
torch::Tensor PositiveFeatures(const torch::Tensor& x);

// Every token sees all N tokens. [*, N, D], in O(N K D) time and O(N) memory.
absl::StatusOr<torch::Tensor> LinearAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                              const torch::Tensor& values);

// Token i sees tokens 0 .. i: the weights of all pairs are formed, in O(N^2) time and memory. The reference of tests.
absl::StatusOr<torch::Tensor> DenseCausalLinearAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                                         const torch::Tensor& values);

// The same in O(N) time and memory, by chunks of tokens, with a gradient that keeps nothing but its inputs. It can be
// differentiated again.
absl::StatusOr<torch::Tensor> CausalLinearAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                                    const torch::Tensor& values);

// All that linear attention remembers of the tokens so far; the sum of two states is the state of both sets of tokens.
struct LinearState {
  torch::Tensor s;  // [*, K, D]
  torch::Tensor z;  // [*, K]
};

// The state of no tokens.
LinearState EmptyLinearState(at::IntArrayRef leading_sizes, int64_t key_width, int64_t value_width,
                             const torch::TensorOptions& options);

// Adds one token each: keys [*, K], values [*, D]. REQUIRES: shapes, dtypes and devices that agree with the state's.
LinearState Fold(const LinearState& state, const torch::Tensor& keys, const torch::Tensor& values);

// o for queries [*, K]: [*, D]; zeros for the state of no tokens. REQUIRES: as Fold.
torch::Tensor Output(const LinearState& state, const torch::Tensor& queries);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_LINEAR_LINEAR_H_
