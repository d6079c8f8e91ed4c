#ifndef AAREN_MODEL_TRAINING_LOSS_QUANTILE_LOSS_H_
#define AAREN_MODEL_TRAINING_LOSS_QUANTILE_LOSS_H_

// The fused pinball loss of a forecaster's quantiles: one pass over the read-out gives the loss and the gradient. A
// token's read-out is several times as wide as the token, so separate operations of torch would take longer than all
// the rest of the network.

#include <torch/types.h>

namespace aaren::training {

//   readout  float32 [*, Q], Q odd: the median less `skip` in the middle; softplus of other levels gives gaps
//   skip     float32 [*]
//   target   float32 [*], finite
//   weight   float32 [*], >= 0
//   levels   float32 [Q], ascending
// Returns the scalar sum of weight * 2 * the mean pinball loss of a row's quantiles. Differentiable once, in readout
// and skip.
torch::Tensor QuantileLoss(const torch::Tensor& readout, const torch::Tensor& skip, const torch::Tensor& target,
                           const torch::Tensor& weight, const torch::Tensor& levels);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_LOSS_QUANTILE_LOSS_H_
