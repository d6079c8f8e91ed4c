#ifndef AAREN_MODEL_ATTENTION_SCAN_H_
#define AAREN_MODEL_ATTENTION_SCAN_H_

// The same attention as dense.h in O(N): one pass of the recurrence from the left, and for gradients one pass from the
// right. Training uses it.
//
// Gradient, with u_i = s_i + decay * t_i, L_k = log sum_{i<=k} exp(u_i) and g_k the gradient at output o_k:
//   G_i = g_i + exp(L_i - L_{i+1}) G_{i+1},   F_i = <g_i, o_i> + exp(L_i - L_{i+1}) F_{i+1}
//   dv_i = exp(u_i - L_i) G_i,   du_i = exp(u_i - L_i) (<v_i, G_i> - F_i)
// Every factor is <= 1. Since sum du_i = 0 for each output, the gradient of decay is sum du_i t_i whatever the origin
// of t.

#include <torch/types.h>

namespace aaren {

// Arguments and result as DenseAttention's, but no token may be masked: scores are finite. Float32 or float64, all of
// one type.
torch::Tensor ScanAttention(const torch::Tensor& scores, const torch::Tensor& positions, const torch::Tensor& decay,
                            const torch::Tensor& values);

}  // namespace aaren

#endif  // AAREN_MODEL_ATTENTION_SCAN_H_
