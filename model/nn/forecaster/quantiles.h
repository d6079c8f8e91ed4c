#ifndef AAREN_MODEL_NN_FORECASTER_QUANTILES_H_
#define AAREN_MODEL_NN_FORECASTER_QUANTILES_H_

// The quantiles of a forecaster, from the read-out of its network (model/README.md, rules 5.4 to 5.6 and 5.9). The
// functions are differentiable.

#include <torch/types.h>

namespace aaren::nn {

/// Quantiles [.., Q], ascending, from the read-out [.., Q] and the skip [..]: the median is the sum of read-out and
/// skip, and the other quantiles add or subtract cumulated softplus.
torch::Tensor Spread(const torch::Tensor& readout, const torch::Tensor& skip);

/// Quantiles [.., T, Q] after `gap` missing values, int64 [..]: a step has the distances from the median that the step
/// `gap` further on has, and at most the last.
torch::Tensor WidenAfterGaps(const torch::Tensor& quantiles, const torch::Tensor& gap);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_QUANTILES_H_
