#include "model/paper/nn/recomputed_mixer.h"

#include <torch/torch.h>

#include <cmath>

#include "model/attention/attention_state.h"
#include "model/paper/nn/token_buffer.h"

namespace aaren::nn {

MixerState RecomputedMixerImpl::Start(int64_t batch) const {
  return {.tensors = {EmptyTokenBuffer({batch}, options.width(), value->weight.options())}};
}

torch::Tensor RecomputedMixerImpl::Recompute(const torch::Tensor& x, int64_t position, InputReader earlier,
                                             int64_t& folds) {
  // The scale 1 / sqrt(d_h) enters the query once, instead of every score.
  const torch::Tensor q = SplitHeads(query(x)) / std::sqrt(static_cast<double>(head_width()));
  attention::AttentionState state = attention::EmptyState({x.size(0), options.heads()}, head_width(), x.options());
  for (int64_t j = position; j >= 0; --j) {
    const torch::Tensor input = j == position ? x : earlier(j);
    state = attention::Fold(state, (q * SplitHeads(key(input))).sum(-1), SplitHeads(value(input)));
    ++folds;
  }
  return JoinHeads(attention::Output(state));
}

torch::Tensor RecomputedMixerImpl::Advance(MixerState& state, const torch::Tensor& x) {
  AppendToken(state.tensors[0], state.tokens, x);
  const torch::Tensor& inputs = state.tensors[0];
  return Recompute(
      x, state.tokens, [&](int64_t j) { return inputs.select(1, j); }, state.folds);
}

}  // namespace aaren::nn
