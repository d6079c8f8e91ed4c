#include "model/training/loss/loss.h"

#include <torch/torch.h>

#include "model/nn/forecaster/quantiles.h"
#include "model/training/loss/quantile_loss.h"

namespace aaren::training {
namespace {

constexpr double kLargestTarget = 12;  // deviations

// The weighted sum of the losses, by operations of torch: for any dtype, and as the reference for tests of the fused
// loss.
torch::Tensor PinballSum(const torch::Tensor& quantiles, const torch::Tensor& target, const torch::Tensor& weight,
                         const torch::Tensor& levels) {
  const torch::Tensor error = target.unsqueeze(-1) - quantiles;
  return 2 * (torch::maximum(levels * error, (levels - 1) * error).mean(-1) * weight).sum();
}

// The fused loss, but for tokens after a gap, whose quantiles widen.
torch::Tensor FusedSum(const nn::ForecasterImpl::Readout& read, const torch::Tensor& gap, const torch::Tensor& target,
                       const torch::Tensor& weight, const torch::Tensor& levels) {
  const torch::Tensor after = gap > 0;
  const torch::Tensor usual = weight.masked_fill(after.unsqueeze(-1), 0);
  const torch::Tensor loss = QuantileLoss(read.readout, read.skip, target, usual, levels);
  const torch::Tensor widened =
      nn::WidenAfterGaps(nn::Spread(read.readout.index({after}), read.skip.index({after})), gap.index({after}));
  return loss + PinballSum(widened, target.index({after}), weight.index({after}), levels);
}

}  // namespace

BatchLoss ComputeLoss(nn::Forecaster& forecaster, const Batch& batch) {
  const package::ForecasterConfig& config = forecaster->config;
  const torch::ScalarType dtype = forecaster->head->weight.scalar_type();
  const nn::Encoding encoding = nn::Encode(config, batch.values, batch.positions, dtype);
  const torch::Tensor first = torch::tensor(batch.positions, torch::kInt64).unsqueeze(1) + 1;
  const torch::Tensor ahead = first + torch::arange(config.horizon, torch::kInt64);  // [K, T]: the values forecast
  const torch::Tensor future =
      batch.values.index_select(1, ahead.flatten()).view({batch.values.size(0), -1, config.horizon});
  const torch::Tensor target =
      // Beyond the bound an error tells of chance, and a single glitch would outweigh the rest of its crop.
      ((future - encoding.center.unsqueeze(-1)) / encoding.scale.unsqueeze(-1)).clamp(-kLargestTarget, kLargestTarget);
  const torch::Tensor counts = ~future.isnan() & (encoding.spread > 0).unsqueeze(-1) & batch.Scored(ahead);
  const torch::Device device = forecaster->head->weight.device();
  const torch::Tensor weight = counts.to(device, dtype);
  // A missing target has the weight 0, but NaN times 0 is still NaN.
  const torch::Tensor present = target.nan_to_num(0).to(device, dtype);
  const torch::Tensor levels = torch::tensor(config.quantiles, torch::kFloat64).to(device, dtype);
  // A batch in which no target counts has the loss 0, and not 0 / 0.
  const torch::Tensor targets = weight.sum(), share = weight / targets.clamp_min(1);
  torch::Tensor loss;
  if (dtype == torch::kFloat32 && device.is_cpu()) {
    loss = FusedSum(forecaster->Read(encoding, batch.positions), encoding.gap, present, share, levels);
  } else {
    loss = PinballSum(forecaster(encoding, batch.positions), present, share, levels);
  }
  return {.loss = loss, .targets = targets, .tokens = encoding.center.numel()};
}

}  // namespace aaren::training
