#include "model/nn/encoder/window_embedding.h"

#include <torch/torch.h>

#include <cmath>

#include "model/nn/encoder/encoder.h"

namespace aaren::nn {

void WindowEmbeddingImpl::reset() {
  const double deviation = std::sqrt(2.0 / static_cast<double>(3 * options.channels));
  window = register_parameter("window", torch::randn({options.width, options.channels, 3}) * deviation);
  if (options.clock_numbers > 0) {
    const auto linear = torch::nn::LinearOptions(options.clock_numbers, options.width).bias(false);
    clock_map = register_module("clock_map", torch::nn::Linear(linear));
  }
  dropout = register_module("dropout", torch::nn::Dropout(options.dropout));
}

torch::Tensor WindowEmbeddingImpl::forward(const torch::Tensor& x, const torch::Tensor& clock) {
  const int64_t steps = x.size(1);
  const torch::Tensor before =
      options.causal ? torch::zeros_like(x.narrow(1, 0, 1)).expand({-1, 2, -1}) : x.narrow(1, steps - 1, 1);
  const torch::Tensor padded =
      options.causal ? torch::cat({before, x}, 1) : torch::cat({before, x, x.narrow(1, 0, 1)}, 1);
  torch::Tensor sum = torch::conv1d(padded.transpose(1, 2), window).transpose(1, 2);
  sum = sum + SinusoidalCode(torch::arange(steps, x.options()), options.width);
  return dropout(clock_map.is_empty() ? sum : sum + clock_map(clock));
}

torch::Tensor WindowEmbeddingImpl::Step(const torch::Tensor& steps, int64_t position, const torch::Tensor& clock) {
  const torch::Tensor at = torch::full({}, static_cast<double>(position), steps.options());
  const torch::Tensor sum = torch::conv1d(steps.transpose(1, 2), window).squeeze(2) + SinusoidalCode(at, options.width);
  return clock_map.is_empty() ? sum : sum + clock_map(clock);
}

}  // namespace aaren::nn
