#ifndef AAREN_MODEL_NN_FUSED_FUSED_H_
#define AAREN_MODEL_NN_FUSED_FUSED_H_

// Operations of the forecaster's blocks that torch computes by several passes over memory, here by one each, forward
// and backward. Where a tensor is not of float32 on a CPU they are torch's own operations, which the fused ones are
// tested against. All are differentiable once. Threading: any.

#include <ATen/core/Tensor.h>

namespace aaren::nn {

// x [.., width] / rms(x) * weight [width], where rms^2 is the mean square plus 1e-6.
at::Tensor RmsNormed(const at::Tensor& x, const at::Tensor& weight);

// silu(gate) * up, of one shape.
at::Tensor SiluGated(const at::Tensor& gate, const at::Tensor& up);

// x * 2 sigmoid(gate), of one shape: a gate of 0 lets x pass.
at::Tensor SigmoidGated(const at::Tensor& gate, const at::Tensor& x);

// x [B, N, V], whose pairs (2j, 2j + 1) are turned by angles [N, V / 2], of float64; `back`: the other way.
at::Tensor PairsTurned(const at::Tensor& x, const at::Tensor& angles, bool back);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FUSED_FUSED_H_
