#include "model/paper/nn/perceiver.h"

#include <torch/torch.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "model/attention/argument.h"
#include "model/paper/nn/token_buffer.h"

namespace aaren::nn {
namespace {

absl::Status RequireAtLeastOne(absl::string_view name, int64_t count) {
  if (count >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", count, "; at least 1 is needed"));
}

absl::Status RequirePerceiver(const PerceiverOptions& options) {
  if (absl::Status status = attention::RequireHeadsDivide("width", options.width(), options.heads()); !status.ok())
    return status;
  if (absl::Status status = RequireAtLeastOne("latents", options.latents()); !status.ok()) return status;
  return RequireAtLeastOne("rounds", options.rounds());
}

}  // namespace

PerceiverImpl::PerceiverImpl(const PerceiverOptions& options) : options(options) {
  const absl::Status status = RequirePerceiver(options);
  TORCH_CHECK(status.ok(), status.message());
  reset();
}

void PerceiverImpl::reset() {
  const int64_t width = options.width();
  latents = register_parameter("latents", torch::randn({options.latents(), width}));
  norm = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  query = register_module("query", torch::nn::Linear(width, width));
  key = register_module("key", torch::nn::Linear(width, width));
  value = register_module("value", torch::nn::Linear(width, width));
  output = register_module("output", torch::nn::Linear(width, width));
}

torch::Tensor PerceiverImpl::SplitHeads(const torch::Tensor& x) const {
  return x.unflatten(-1, {options.heads(), -1}).transpose(1, 2);
}

torch::Tensor PerceiverImpl::Attend(const torch::Tensor& x) {
  // Keys and values are the same in every round. Only the queries change, so only the queries are computed again.
  const torch::Tensor keys = SplitHeads(key(x)), values = SplitHeads(value(x));
  const double scale = 1 / std::sqrt(static_cast<double>(options.width() / options.heads()));
  torch::Tensor z = latents.expand({x.size(0), -1, -1});
  for (int64_t round = 0; round < options.rounds(); ++round) {
    const torch::Tensor scores = torch::matmul(SplitHeads(query(norm(z))) * scale, keys.transpose(2, 3));
    const torch::Tensor heads = torch::matmul(torch::softmax(scores, -1), values);  // [B, H, L, d_h]
    z = z + output(heads.transpose(1, 2).flatten(-2));
  }
  return z;
}

absl::StatusOr<torch::Tensor> PerceiverImpl::forward(const torch::Tensor& x) {
  if (absl::Status status = attention::RequireLike("x", x, "latents", latents); !status.ok()) return status;
  if (absl::Status status = attention::RequireShape("x", x, {-1, -1, options.width()}); !status.ok()) return status;
  if (absl::Status status = RequireAtLeastOne("the number of inputs in x", x.size(1)); !status.ok()) return status;
  return Attend(x);
}

MixerState PerceiverImpl::Start(int64_t batch) const {
  return {.tensors = {EmptyTokenBuffer({batch}, options.width(), latents.options())}};
}

absl::StatusOr<torch::Tensor> PerceiverImpl::Step(MixerState& state, const torch::Tensor& x) {
  if (state.tensors.empty()) return absl::InvalidArgumentError("state has 0 tensors; one made by Start is needed");
  if (absl::Status status = attention::RequireLike("x", x, "latents", latents); !status.ok()) return status;
  if (absl::Status status = attention::RequireLike("state", state.tensors[0], "x", x); !status.ok()) return status;
  const int64_t batch = state.tensors[0].size(0);
  if (absl::Status status = attention::RequireShape("x", x, {batch, options.width()}); !status.ok()) return status;
  if (absl::Status status = attention::RequireShape("state", state.tensors[0], {batch, -1, options.width()});
      !status.ok()) {
    return status;
  }
  torch::NoGradGuard no_grad;
  AppendToken(state.tensors[0], state.tokens, x);
  ++state.tokens;
  state.folds += state.tokens * options.latents() * options.rounds();
  return Attend(state.tensors[0].narrow(1, 0, state.tokens));
}

absl::StatusOr<Perceiver> MakePerceiver(const PerceiverOptions& options) {
  if (absl::Status status = RequirePerceiver(options); !status.ok()) return status;
  return Perceiver(options);
}

}  // namespace aaren::nn
