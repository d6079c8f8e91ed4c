#ifndef AAREN_MODEL_NN_FORECASTER_ASINH_H_
#define AAREN_MODEL_NN_FORECASTER_ASINH_H_

#include <cstddef>

namespace aaren::nn {

// Replaces each of `count` finite numbers by its asinh, with the machine's vector instructions. torch's own asinh takes
// one float at a time. On a CPU with fused multiply-add the bits are those of the step engine.
void AsinhInPlace(float* x, size_t count);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_ASINH_H_
