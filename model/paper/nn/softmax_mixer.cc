#include "model/paper/nn/softmax_mixer.h"

#include <torch/torch.h>

#include <cmath>

#include "model/paper/attention/softmax.h"
#include "model/paper/nn/token_buffer.h"

namespace aaren::nn {

absl::StatusOr<torch::Tensor> SoftmaxMixerImpl::Mix(const torch::Tensor& x) {
  const absl::StatusOr<torch::Tensor> heads =
      attention::CausalSoftmaxAttention(SplitHeads(query(x)), SplitHeads(key(x)), SplitHeads(value(x)));
  if (!heads.ok()) return heads.status();
  return JoinHeads(*heads);
}

MixerState SoftmaxMixerImpl::Start(int64_t batch) const {
  const auto cache = [&] { return EmptyTokenBuffer({batch, options.heads()}, head_width(), value->weight.options()); };
  return {.tensors = {cache(), cache()}};
}

torch::Tensor SoftmaxMixerImpl::Advance(MixerState& state, const torch::Tensor& x) {
  AppendToken(state.tensors[0], state.tokens, SplitHeads(key(x)));
  AppendToken(state.tensors[1], state.tokens, SplitHeads(value(x)));
  ++state.folds;
  // The buffers have room for later tokens (token_buffer.h); only the tokens in use have defined contents.
  const torch::Tensor keys = state.tensors[0].narrow(2, 0, state.tokens + 1);
  const torch::Tensor values = state.tensors[1].narrow(2, 0, state.tokens + 1);
  // The scale 1 / sqrt(d_h) enters the query once, instead of every score.
  const torch::Tensor q = SplitHeads(query(x)).unsqueeze(2) / std::sqrt(static_cast<double>(head_width()));
  const torch::Tensor weights = torch::softmax(torch::matmul(q, keys.transpose(2, 3)), -1);  // [B, H, 1, N]
  return JoinHeads(torch::matmul(weights, values).squeeze(2));
}

}  // namespace aaren::nn
