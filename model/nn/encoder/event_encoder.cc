#include "model/nn/encoder/event_encoder.h"

#include <torch/torch.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace aaren::nn {
namespace {

constexpr int64_t kLaws = 8;
constexpr double kLeastInterval = 1e-12, kLeastProbability = 1e-5;

torch::Tensor Logarithm(const torch::Tensor& intervals) { return (intervals + kLeastInterval).log().unsqueeze(-1); }

}  // namespace

torch::Tensor LogNormalMixture::LogDensity(const torch::Tensor& intervals) const {
  const torch::Tensor logarithm = Logarithm(intervals), score = (logarithm - mean) / deviation;
  const torch::Tensor normal = -0.5 * score.square() - deviation.log() - 0.5 * std::log(2 * std::numbers::pi);
  return torch::logsumexp(log_weight + normal - logarithm, -1);
}

torch::Tensor LogNormalMixture::LogSurvival(const torch::Tensor& intervals) const {
  const torch::Tensor score = (Logarithm(intervals) - mean) / deviation;
  const torch::Tensor below = 0.5 * (1 + torch::erf(score / std::numbers::sqrt2));
  // The gradient passes the clamp unchanged.
  const torch::Tensor clamped = below + (below.clamp(kLeastProbability, 1 - kLeastProbability) - below).detach();
  return torch::logsumexp(log_weight + torch::log1p(-clamped), -1);
}

torch::Tensor LogNormalMixture::Mean() const {
  return torch::logsumexp(log_weight + mean + 0.5 * deviation.square(), -1).exp() - kLeastInterval;
}

void EventEncoderImpl::reset() {
  const EncoderOptions sizes = options.encoder();
  const int64_t width = sizes.width();
  embedding = register_module(
      "embedding", torch::nn::Embedding(torch::nn::EmbeddingOptions(options.marks + 1, width).padding_idx(0)));
  layers = register_module("layers", torch::nn::ModuleList());
  for (int64_t i = 0; i < options.layers; ++i) {
    EncoderLayer layer(sizes);
    const MultiHeadAttention& attention = layer->attention;
    for (const torch::nn::Linear& linear : {attention->query, attention->key, attention->value, attention->output}) {
      torch::nn::init::xavier_uniform_(linear->weight);
    }
    layers->push_back(layer);
  }
  interval_hidden = register_module("interval_hidden", torch::nn::Linear(width, width));
  interval = register_module("interval", torch::nn::Linear(width, 3 * kLaws));
  torch::nn::init::zeros_(interval->bias);
  if (options.marks > 1) mark = register_module("mark", torch::nn::Linear(width, options.marks));
}

torch::Tensor EventEncoderImpl::forward(const torch::Tensor& intervals, const torch::Tensor& marks) {
  const torch::Tensor code = SinusoidalCode(intervals, options.encoder().width());
  torch::Tensor tokens = embedding(marks);
  for (int64_t i = 0; i < options.layers; ++i) tokens = layers->ptr<EncoderLayerImpl>(i)->forward(tokens + code);
  return tokens;
}

LogNormalMixture EventEncoderImpl::Interval(const torch::Tensor& hidden) {
  const std::vector<torch::Tensor> parts = interval(torch::tanh(interval_hidden(hidden))).split(kLaws, -1);
  return {.log_weight = torch::log_softmax(parts[0], -1), .mean = parts[1], .deviation = torch::softplus(parts[2])};
}

torch::Tensor EventEncoderImpl::Mark(const torch::Tensor& hidden) { return torch::log_softmax(mark(hidden), -1); }

}  // namespace aaren::nn
