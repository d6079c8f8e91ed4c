#ifndef AAREN_MODEL_NN_FUSED_FUSED_H_
#define AAREN_MODEL_NN_FUSED_FUSED_H_

// Operations of the forecaster's blocks that torch computes in several passes over memory, here in a single pass each,
// forward and backward. For tensors other than float32 on a CPU these functions call torch's own operations, against
// which the fused operations are tested. All are differentiable once. Threading: any.

#include <ATen/core/Tensor.h>

namespace aaren::nn {

// x [.., width] / rms(x) * weight [width], where rms^2 is the mean square plus 1e-6.
at::Tensor RmsNormed(const at::Tensor& x, const at::Tensor& weight);

// silu(gate) * up, both of one shape.
at::Tensor SiluGated(const at::Tensor& gate, const at::Tensor& up);

// x * 2 sigmoid(gate), both of one shape: a gate of 0 lets x pass.
at::Tensor SigmoidGated(const at::Tensor& gate, const at::Tensor& x);

// Turns the pairs (2j, 2j + 1) of x [B, N, V] by angles [N, V / 2], in float64; `back` turns the other way.
at::Tensor PairsTurned(const at::Tensor& x, const at::Tensor& angles, bool back);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FUSED_FUSED_H_
