#include "model/paper/nn/projected_mixer.h"

#include <torch/torch.h>

#include <string>

#include "model/attention/argument.h"

namespace aaren::nn {

ProjectedMixerImpl::ProjectedMixerImpl(const MixerOptions& options) : options(options) {
  const int64_t width = options.width();
  const absl::Status status = attention::RequireHeadsDivide("width", width, options.heads());
  TORCH_CHECK(status.ok(), std::string(status.message()));
  query = register_module("query", torch::nn::Linear(width, width));
  key = register_module("key", torch::nn::Linear(width, width));
  value = register_module("value", torch::nn::Linear(width, width));
  output = register_module("output", torch::nn::Linear(width, width));
}

torch::Tensor ProjectedMixerImpl::SplitHeads(const torch::Tensor& x) const {
  const torch::Tensor heads = x.unflatten(-1, {options.heads(), head_width()});
  return x.dim() == 2 ? heads : heads.transpose(1, 2);
}

torch::Tensor ProjectedMixerImpl::JoinHeads(const torch::Tensor& x) {
  return output((x.dim() == 3 ? x : x.transpose(1, 2)).flatten(-2));
}

}  // namespace aaren::nn
