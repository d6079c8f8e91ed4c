#include "model/nn/mixer/mixer.h"

#include <torch/torch.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "model/attention/argument.h"

namespace aaren::nn {
namespace {

// Gives `to`, a module of the same structure, copies of the parameters of `from`, with dtype and device.
void CopyParameters(const torch::nn::Module& from, torch::nn::Module& to, const std::optional<torch::Device>& device) {
  torch::NoGradGuard no_grad;
  auto copies = to.named_parameters();
  for (const auto& parameter : from.named_parameters()) {
    const torch::Tensor& weights = parameter.value();
    // set_data changes the module's own parameter through a shared handle. The last argument of to() forces a copy even
    // where device and type agree, for a clone must not share weights with the original.
    copies[parameter.key()].set_data(device ? weights.to(*device, weights.scalar_type(), false, true)
                                            : weights.clone());
  }
}

}  // namespace

MixerState MixerState::Clone() const {
  MixerState copy = *this;
  for (torch::Tensor& tensor : copy.tensors) tensor = tensor.clone();
  return copy;
}

int64_t MixerState::bytes() const {
  int64_t sum = 0;
  for (const torch::Tensor& tensor : tensors) sum += static_cast<int64_t>(tensor.nbytes());
  return sum;
}

absl::Status MixerImpl::RequireForward(const torch::Tensor& x) const {
  const torch::Tensor& weight = InputWeight();
  if (absl::Status status = attention::RequireLike("x", x, "the mixer", weight); !status.ok()) return status;
  if (absl::Status status = attention::RequireFloat("x", x); !status.ok()) return status;
  if (absl::Status status = attention::RequireShape("x", x, {-1, -1, weight.size(1)}); !status.ok()) return status;
  if (x.numel() > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("x has ", x.size(0), " sequences of ", x.size(1), " tokens; at least 1 of each is needed"));
}

absl::StatusOr<torch::Tensor> MixerImpl::forward(const torch::Tensor& x) {
  if (absl::Status status = RequireForward(x); !status.ok()) return status;
  return Mix(x);
}

absl::Status MixerImpl::RequireStep(const MixerState& state, const torch::Tensor& x) const {
  const torch::Tensor& weight = InputWeight();
  if (absl::Status status = attention::RequireLike("x", x, "the mixer", weight); !status.ok()) return status;
  const std::vector<std::vector<int64_t>> sizes = StateSizes();
  if (state.tensors.size() != sizes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("state has ", state.tensors.size(), " tensors; ", sizes.size(), " as made by Start are needed"));
  }
  const torch::Tensor& first = state.tensors.front();
  // The first tensor tells the batch size; every other tensor and x must agree. A malformed first tensor counts as a
  // batch of 1, and RequireShape names the fault.
  const int64_t batch = first.defined() && first.dim() > 0 ? first.size(0) : 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    std::vector<int64_t> needed = {batch};
    needed.insert(needed.end(), sizes[i].begin(), sizes[i].end());
    if (absl::Status status = attention::RequireLike("state", state.tensors[i], "the mixer", weight); !status.ok())
      return status;
    if (absl::Status status = attention::RequireShape("state", state.tensors[i], needed); !status.ok()) return status;
  }
  if (batch < 1) return absl::InvalidArgumentError("state is of 0 sequences; at least 1 is needed");
  return attention::RequireShape("x", x, {batch, weight.size(1)});
}

absl::StatusOr<torch::Tensor> MixerImpl::Step(MixerState& state, const torch::Tensor& x) {
  if (absl::Status status = RequireStep(state, x); !status.ok()) return status;
  // With a graph, a state would keep every token of a stream alive.
  torch::NoGradGuard no_grad;
  torch::Tensor outputs = Advance(state, x);
  ++state.tokens;
  return outputs;
}

std::shared_ptr<torch::nn::Module> MixerImpl::clone(const std::optional<torch::Device>& device) const {
  Mixer copy = Another();
  CopyParameters(*this, *copy, device);
  return copy;
}

void MixerImpl::clone_(torch::nn::Module& other, const std::optional<torch::Device>& device) {
  CopyParameters(other, *this, device);
}

}  // namespace aaren::nn
