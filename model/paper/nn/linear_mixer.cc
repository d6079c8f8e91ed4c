#include "model/paper/nn/linear_mixer.h"

#include <torch/torch.h>

#include "model/paper/attention/linear/linear.h"

namespace aaren::nn {

absl::StatusOr<torch::Tensor> LinearMixerImpl::Mix(const torch::Tensor& x) {
  const absl::StatusOr<torch::Tensor> heads =
      attention::CausalLinearAttention(SplitHeads(query(x)), SplitHeads(key(x)), SplitHeads(value(x)));
  if (!heads.ok()) return heads.status();
  return JoinHeads(*heads);
}

MixerState LinearMixerImpl::Start(int64_t batch) const {
  const attention::LinearState empty =
      attention::EmptyLinearState({batch, options.heads()}, head_width(), head_width(), value->weight.options());
  return {.tensors = {empty.s, empty.z}};
}

torch::Tensor LinearMixerImpl::Advance(MixerState& state, const torch::Tensor& x) {
  const attention::LinearState before = {.s = state.tensors[0], .z = state.tensors[1]};
  const attention::LinearState after = attention::Fold(before, SplitHeads(key(x)), SplitHeads(value(x)));
  state.tensors = {after.s, after.z};
  ++state.folds;
  return JoinHeads(attention::Output(after, SplitHeads(query(x))));
}

}  // namespace aaren::nn
