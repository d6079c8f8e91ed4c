#ifndef AAREN_MODEL_NN_FORECASTER_SOURCE_MIXTURE_H_
#define AAREN_MODEL_NN_FORECASTER_SOURCE_MIXTURE_H_

// The median's mixture of the skip with a series' sources (model/README.md, "Seasonal inputs"), fused. It is one pass
// over the parts, where operations of torch read and write all of them several times.

#include <torch/types.h>

#include <array>

namespace aaren::nn {

//   weights  [*, 5, T]: of the skip and of the four sources, the last value first
//   skip     [*, T]
//   sources  [*, 4, T], which takes no gradient
//   added    [*, T] each: to the three sources of seasons
// Returns the sum [*, T] of weights times parts. All of one type and device; differentiable, on a CPU in float32 once.
torch::Tensor MixParts(const torch::Tensor& weights, const torch::Tensor& skip, const torch::Tensor& sources,
                       const std::array<torch::Tensor, 3>& added);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_SOURCE_MIXTURE_H_
