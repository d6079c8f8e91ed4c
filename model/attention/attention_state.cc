#include "model/attention/attention_state.h"

#include <torch/torch.h>

#include <limits>
#include <vector>

namespace aaren::attention {
namespace {

// The larger of both, constant to autograd: m is only an offset of c and a, and no output depends on m.
torch::Tensor Maximum(const torch::Tensor& x, const torch::Tensor& y) { return torch::maximum(x.detach(), y.detach()); }

// exp(score - maximum). REQUIRES: score <= maximum. If the maximum is -inf, the difference is not a number. Any finite
// offset then makes the exponential 0, and its gradient too.
torch::Tensor Weight(const torch::Tensor& score, const torch::Tensor& maximum) {
  return (score - maximum.masked_fill(maximum.isneginf(), 0)).exp();
}

// Clears the values of masked tokens. A weight of zero is not enough, because zero times infinity is not a number.
torch::Tensor ZeroWhereMasked(const torch::Tensor& values, const torch::Tensor& scores) {
  return values.masked_fill(scores.isneginf().unsqueeze(-1), 0);
}

torch::Tensor PerToken(const torch::Tensor& x) { return x.unsqueeze(-1); }

}  // namespace

AttentionState EmptyState(at::IntArrayRef leading_sizes, int64_t width, const torch::TensorOptions& options) {
  std::vector<int64_t> a_sizes = leading_sizes.vec();
  a_sizes.push_back(width);
  // A maximum of -inf makes the identity of the operator: Weight turns its c and a into nothing.
  return {.m = torch::full(leading_sizes, -std::numeric_limits<double>::infinity(), options),
          .c = torch::zeros(leading_sizes, options),
          .a = torch::zeros(a_sizes, options)};
}

AttentionState Leaf(const torch::Tensor& scores, const torch::Tensor& values) {
  return {
      .m = scores, .c = scores.isneginf().logical_not().to(scores.scalar_type()), .a = ZeroWhereMasked(values, scores)};
}

AttentionState Combine(const AttentionState& x, const AttentionState& y) {
  const torch::Tensor m = Maximum(x.m, y.m);
  const torch::Tensor from_x = Weight(x.m, m), from_y = Weight(y.m, m);
  return {
      .m = m, .c = (x.c * from_x).addcmul_(y.c, from_y), .a = (x.a * PerToken(from_x)).addcmul_(y.a, PerToken(from_y))};
}

AttentionState Fold(const AttentionState& state, const torch::Tensor& scores, const torch::Tensor& values) {
  const torch::Tensor m = Maximum(state.m, scores);
  const torch::Tensor keep = Weight(state.m, m), add = Weight(scores, m);
  return {.m = m,
          .c = state.c * keep + add,
          .a = (state.a * PerToken(keep)).addcmul_(ZeroWhereMasked(values, scores), PerToken(add))};
}

AttentionState FoldBlock(const AttentionState& state, const torch::Tensor& scores, const torch::Tensor& values) {
  // The step of appendix A: one maximum for the whole block, then one product over the block's tokens.
  const torch::Tensor m = Maximum(state.m, scores.amax(-1));
  const torch::Tensor keep = Weight(state.m, m), add = Weight(scores, m.unsqueeze(-1));
  const torch::Tensor sum = torch::matmul(add.unsqueeze(-2), ZeroWhereMasked(values, scores)).squeeze(-2);
  return {.m = m, .c = state.c * keep + add.sum(-1), .a = state.a * PerToken(keep) + sum};
}

AttentionState Age(const AttentionState& state, const torch::Tensor& amount) {
  // Multiplying c and a by exp(-amount) is the same as one subtraction from the maximum.
  return {.m = state.m - amount, .c = state.c, .a = state.a};
}

torch::Tensor Output(const AttentionState& state) {
  return state.a / PerToken(state.c.masked_fill(state.c == 0, 1));  // c >= 1 after the first token
}

}  // namespace aaren::attention
