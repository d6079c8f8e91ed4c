#include "model/nn/forecaster/quantiles.h"

#include <torch/torch.h>

namespace aaren::nn {

torch::Tensor Spread(const torch::Tensor& readout, const torch::Tensor& skip) {
  const int64_t count = readout.size(-1), middle = count / 2;
  const torch::Tensor median = readout.narrow(-1, middle, 1) + skip.unsqueeze(-1);
  const torch::Tensor gaps = torch::softplus(readout);
  const torch::Tensor above = median + gaps.narrow(-1, middle + 1, count - middle - 1).cumsum(-1);
  const torch::Tensor below = median - gaps.narrow(-1, 0, middle).flip(-1).cumsum(-1).flip(-1);
  return torch::cat({below, median, above}, -1);
}

torch::Tensor WidenAfterGaps(const torch::Tensor& quantiles, const torch::Tensor& gap) {
  const int64_t steps = quantiles.size(-2), levels = quantiles.size(-1);
  const torch::Tensor median = quantiles.narrow(-1, levels / 2, 1);
  const torch::Tensor further = (torch::arange(steps) + gap.unsqueeze(-1)).clamp_max(steps - 1).to(quantiles.device());
  return median + (quantiles - median).gather(-2, further.unsqueeze(-1).expand_as(quantiles));
}

}  // namespace aaren::nn
