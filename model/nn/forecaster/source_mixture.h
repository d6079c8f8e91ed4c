#ifndef AAREN_MODEL_NN_FORECASTER_SOURCE_MIXTURE_H_
#define AAREN_MODEL_NN_FORECASTER_SOURCE_MIXTURE_H_

// The median's mixture of the skip with a series' sources (model/README.md, "Seasonal inputs"), in one fused pass over
// the parts. torch's operations would read and write all parts several times.

#include <torch/types.h>

#include <array>

namespace aaren::nn {

//   weights  [*, 5, T]: for the skip and the four sources, the last value first
//   skip     [*, T]
//   sources  [*, 4, T], without a gradient
//   added    [*, T] each: corrections of the three sources of seasons
// Returns the sum [*, T] of weights times parts. All arguments have one type and device. Differentiable, with float32
// on a CPU once.
torch::Tensor MixParts(const torch::Tensor& weights, const torch::Tensor& skip, const torch::Tensor& sources,
                       const std::array<torch::Tensor, 3>& added);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_SOURCE_MIXTURE_H_
