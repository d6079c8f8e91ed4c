#include "model/nn/forecaster/gated_block.h"

#include <torch/torch.h>

#include "model/nn/fused/fused.h"

namespace aaren::nn {

void RmsNormImpl::reset() { weight = register_parameter("weight", torch::ones({width})); }

torch::Tensor RmsNormImpl::forward(const torch::Tensor& x) { return RmsNormed(x, weight); }

GatedMlpImpl::GatedMlpImpl(int64_t inputs, int64_t hidden, int64_t outputs)
    : inputs(inputs), hidden(hidden), outputs(outputs) {
  reset();
}

void GatedMlpImpl::reset() {
  using torch::nn::LinearOptions;
  gate = register_module("gate", torch::nn::Linear(LinearOptions(inputs, hidden).bias(false)));
  up = register_module("up", torch::nn::Linear(LinearOptions(inputs, hidden).bias(false)));
  down = register_module("down", torch::nn::Linear(LinearOptions(hidden, outputs).bias(false)));
}

torch::Tensor GatedMlpImpl::forward(const torch::Tensor& x) { return down(SiluGated(gate(x), up(x))); }

GatedBlockImpl::GatedBlockImpl(const AarenOptions& attention_options, int64_t mlp_hidden)
    : attention_options(attention_options), mlp_hidden(mlp_hidden) {
  reset();
}

void GatedBlockImpl::reset() {
  const int64_t width = attention_options.width();
  norm1 = register_module("norm1", RmsNorm(width));
  attention = register_module("attention", Aaren(attention_options));
  norm2 = register_module("norm2", RmsNorm(width));
  mlp = register_module("mlp", GatedMlp(width, mlp_hidden, width));
  torch::NoGradGuard no_grad;
  attention->output->weight.zero_();
  attention->output->bias.zero_();
  mlp->down->weight.zero_();
}

torch::Tensor GatedBlockImpl::forward(const torch::Tensor& x, const torch::Tensor& positions) {
  const torch::Tensor y = x + attention->ForwardAt(norm1(x), positions);
  return y + mlp(norm2(y));
}

}  // namespace aaren::nn
