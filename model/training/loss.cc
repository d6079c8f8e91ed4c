#include "model/training/loss.h"

#include <torch/torch.h>

namespace aaren {
namespace {

constexpr double kLargestTarget = 12;

}  // namespace

BatchLoss ComputeLoss(Forecaster& forecaster, const Batch& batch) {
  const ForecasterConfig& config = forecaster->config;
  const torch::ScalarType dtype = forecaster->head->weight.scalar_type();
  const Encoding encoding = Encode(config, batch.values, batch.positions, dtype);
  const torch::Tensor first = torch::tensor(batch.positions, torch::kInt64).unsqueeze(1) + 1;
  const torch::Tensor ahead = first + torch::arange(config.horizon, torch::kInt64);  // [K, T]: which value is forecast
  const torch::Tensor future =
      batch.values.index_select(1, ahead.flatten()).view({batch.values.size(0), -1, config.horizon});
  const torch::Tensor target =
      ((future - encoding.center.unsqueeze(-1)) / encoding.scale.unsqueeze(-1)).clamp(-kLargestTarget, kLargestTarget);
  const torch::Tensor counts =
      ~future.isnan() & (encoding.spread > 0).unsqueeze(-1) & (ahead >= batch.first_target).unsqueeze(0);
  const torch::Tensor weight = counts.to(dtype);
  const torch::Tensor quantiles = forecaster(encoding.features, batch.positions);
  const torch::Tensor error = target.nan_to_num(0).to(dtype).unsqueeze(-1) - quantiles;
  const torch::Tensor levels = torch::tensor(config.quantiles, torch::kFloat64).to(dtype);
  const torch::Tensor pinball = torch::maximum(levels * error, (levels - 1) * error).mean(-1);
  return {.loss = 2 * (pinball * weight).sum() / weight.sum().clamp_min(1), .tokens = encoding.center.numel()};
}

}  // namespace aaren
