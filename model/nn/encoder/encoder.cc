#include "model/nn/encoder/encoder.h"

#include <torch/torch.h>

#include <cmath>

namespace aaren::nn {

torch::nn::LayerNorm LayerNormOf(const EncoderOptions& options) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({options.width()}).eps(options.epsilon()));
}

torch::Tensor SinusoidalCode(const torch::Tensor& values, int64_t width) {
  const torch::Tensor places = torch::arange(width);
  const torch::Tensor pairs = torch::div(places, 2, "floor").to(torch::kFloat32) * 2 / static_cast<double>(width);
  const torch::Tensor angles = values.unsqueeze(-1) * torch::exp(pairs * -std::log(10000.0)).to(values.options());
  return torch::where(places.remainder(2).eq(0), angles.sin(), angles.cos());
}

void FeedForwardImpl::reset() {
  up = register_module("up", torch::nn::Linear(options.width(), options.mlp_width()));
  down = register_module("down", torch::nn::Linear(options.mlp_width(), options.width()));
  norm = register_module("norm", LayerNormOf(options));
  dropout = register_module("dropout", torch::nn::Dropout(options.dropout()));
}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x) {
  return norm(x + dropout(down(dropout(torch::gelu(up(x))))));
}

void EncoderLayerImpl::reset() {
  attention = register_module("attention", MultiHeadAttention(options));
  norm = register_module("norm", LayerNormOf(options));
  dropout = register_module("dropout", torch::nn::Dropout(options.dropout()));
  mlp = register_module("mlp", FeedForward(options));
}

torch::Tensor EncoderLayerImpl::forward(const torch::Tensor& x) { return mlp(norm(x + dropout(attention(x)))); }

torch::Tensor EncoderLayerImpl::Step(attention::AttentionState& state, const torch::Tensor& x) {
  return mlp(norm(x + attention->Step(state, x)));
}

void EncoderImpl::reset() {
  layers = register_module("layers", torch::nn::ModuleList());
  for (int64_t i = 0; i < count; ++i) layers->push_back(EncoderLayer(options));
  norm = register_module("norm", LayerNormOf(options));
}

torch::Tensor EncoderImpl::forward(torch::Tensor x) {
  for (int64_t i = 0; i < count; ++i) x = layers->ptr<EncoderLayerImpl>(i)->forward(x);
  return norm(x);
}

std::vector<attention::AttentionState> EncoderImpl::Start(int64_t batch) const {
  std::vector<attention::AttentionState> states;
  for (int64_t i = 0; i < count; ++i) states.push_back(layers->ptr<EncoderLayerImpl>(i)->attention->Start(batch));
  return states;
}

torch::Tensor EncoderImpl::Step(std::vector<attention::AttentionState>& states, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  for (int64_t i = 0; i < count; ++i) x = layers->ptr<EncoderLayerImpl>(i)->Step(states[i], x);
  return norm(x);
}

}  // namespace aaren::nn
