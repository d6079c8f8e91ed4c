#ifndef AAREN_MODEL_ATTENTION_ATTENTION_STATE_H_
#define AAREN_MODEL_ATTENTION_ATTENTION_STATE_H_

// AttentionState is softmax attention over a set of tokens, as the element (a, c, m) of element.h, for any number of
// queries, heads and series at once. The members are tensors that autograd can differentiate:
//
//   m = max s_i,   c = sum exp(s_i - m),   a = sum exp(s_i - m) v_i,   output o = a / c     (paper, §3.1 and §3.2)
//
// Shapes: m and c [*], a [*, D]. The caller chooses the leading sizes *: none for one query, [Q] for many, [B, H] for
// the heads of a batch, [B, H, N] for the N leaves of a scan. The state of no tokens is the identity of Combine: m =
// -inf, c = 0, a = 0. A token whose score is -inf is masked and contributes the identity, even if its value is NaN.
//
// float32 or float64. REQUIRES, for all functions: shapes, dtypes and devices that agree, and scores < inf.

#include <torch/types.h>

namespace aaren::attention {

struct AttentionState {
  torch::Tensor m, c;  // [*]
  torch::Tensor a;     // [*, D]
};

// The state of no tokens, for values of `width` numbers.
AttentionState EmptyState(at::IntArrayRef leading_sizes, int64_t width, const torch::TensorOptions& options);

// The state of one token each: (s, 1, v), paper §3.2. scores [*], values [*, D].
AttentionState Leaf(const torch::Tensor& scores, const torch::Tensor& values);

// The state of both sets together, elementwise over *: the associative and commutative operator (+) of paper §3.2.
AttentionState Combine(const AttentionState& x, const AttentionState& y);

// Adds one token to each state: the recurrent cell of paper §3.1. scores [*], values [*, D].
AttentionState Fold(const AttentionState& state, const torch::Tensor& scores, const torch::Tensor& values);

// Adds b >= 1 tokens to each state at once: paper, appendix A. scores [*, b], values [*, b, D].
AttentionState FoldBlock(const AttentionState& state, const torch::Tensor& scores, const torch::Tensor& values);

// Lowers the scores of all remembered tokens by `amount` >= 0, [*] or broadcast to [*]: forgetting, an addition of
// Aaren Serve (the amount is 0 in the paper).
AttentionState Age(const AttentionState& state, const torch::Tensor& amount);

// o = a / c, [*, D]; zeros where the state is empty.
torch::Tensor Output(const AttentionState& state);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_ATTENTION_STATE_H_
