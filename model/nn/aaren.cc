#include "model/nn/aaren.h"

#include <torch/torch.h>

#include <cmath>

#include "model/attention/scan.h"

namespace aaren {
namespace {

// Turns pairs (2j, 2j + 1) of the last dimension by sign * angle: x [B, N, V], angles [N, V / 2].
torch::Tensor Rotate(const torch::Tensor& x, const torch::Tensor& cosine, const torch::Tensor& sine) {
  const std::vector<torch::Tensor> pair = x.unflatten(-1, {-1, 2}).unbind(-1);
  return torch::stack({pair[0] * cosine - pair[1] * sine, pair[0] * sine + pair[1] * cosine}, -1).flatten(-2);
}

}  // namespace

AarenImpl::AarenImpl(const AarenOptions& options) : options(options) {
  TORCH_CHECK(options.width() % options.heads() == 0, "width ", options.width(), " is not a multiple of heads ",
              options.heads());
  TORCH_CHECK(options.value_width() % options.heads() == 0, "value_width ", options.value_width(),
              " is not a multiple of heads ", options.heads());
  reset();
}

void AarenImpl::reset() {
  const int64_t width = options.width(), values = options.value_width();
  query = register_parameter("query", torch::randn({width}));
  query_projection = register_module("query_projection", torch::nn::Linear(width, width));
  key = register_module("key", torch::nn::Linear(width, width));
  value = register_module("value", torch::nn::Linear(width, values));
  output = register_module("output", torch::nn::Linear(values, width));
  if (options.gate()) gate = register_module("gate", torch::nn::Linear(width, values));
  if (!options.decay().empty()) {
    log_decay =
        register_parameter("log_decay", torch::tensor(options.decay(), torch::kFloat64).log().to(query.scalar_type()));
  }
  if (!options.rates().empty()) rates = torch::tensor(options.rates(), torch::kFloat64);
}

torch::Tensor AarenImpl::FoldedQuery() const {
  const int64_t heads = options.heads(), head_width = options.width() / heads;
  const torch::Tensor q =
      torch::linear(query, query_projection->weight, query_projection->bias).view({heads, 1, head_width});
  const torch::Tensor keys = key->weight.view({heads, head_width, options.width()});
  return torch::matmul(q, keys).squeeze(1) / std::sqrt(static_cast<double>(head_width));
}

torch::Tensor AarenImpl::UnfoldedScore(const torch::Tensor& x) {
  const int64_t heads = options.heads(), head_width = options.width() / heads;
  const torch::Tensor q = query_projection(query).view({heads, head_width});
  const torch::Tensor keys = key(x).unflatten(-1, {heads, head_width});
  return (keys * q).sum(-1) / std::sqrt(static_cast<double>(head_width));
}

torch::Tensor AarenImpl::Decay() const {
  return log_decay.defined() ? log_decay.exp() : torch::zeros({options.heads()}, query.options());
}

torch::Tensor AarenImpl::forward(const torch::Tensor& x, const torch::Tensor& positions) {
  const torch::Tensor scores = torch::matmul(x, FoldedQuery().t()).transpose(1, 2);
  torch::Tensor values = value(x), cosine, sine;
  if (rates.defined()) {
    const torch::Tensor angles = positions.to(torch::kFloat64).unsqueeze(1) * rates;
    cosine = angles.cos().to(x.scalar_type());
    sine = angles.sin().to(x.scalar_type());
    values = Rotate(values, cosine, sine);
  }
  const torch::Tensor heads = values.unflatten(-1, {options.heads(), -1}).transpose(1, 2);
  torch::Tensor average = ScanAttention(scores, positions, Decay(), heads).transpose(1, 2).flatten(-2);
  if (rates.defined()) average = Rotate(average, cosine, -sine);
  if (options.gate()) average = average * (2 * torch::sigmoid(gate(x)));
  return output(average);
}

}  // namespace aaren
