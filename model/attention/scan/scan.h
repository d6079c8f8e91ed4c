#ifndef AAREN_MODEL_ATTENTION_SCAN_SCAN_H_
#define AAREN_MODEL_ATTENTION_SCAN_SCAN_H_

// The production scan: all N outputs of attention with a constant query in one fused pass over the values. It takes
// O(N) time and no memory but the outputs and one number a token. Training uses it. Its kernels (scan_kernel.h) run on
// the CPU, parallel over series and heads, and on a GPU where there is one.
//
// Forward, with the running maximum m and denominator c of paper §3.1, and p_k = exp(s_k - m_k) / c_k the share of
// token k in its own output:
//   o_k = o_{k-1} + p_k (v_k - o_{k-1})
//
// Backward, with g_k the gradient at o_k; every factor is <= 1, and it reads only v, o and p:
//   G_i = g_i + (1 - p_{i+1}) G_{i+1},   F_i = <g_i, o_i> + (1 - p_{i+1}) F_{i+1}
//   dv_i = p_i G_i,   ds_i = p_i (<v_i, G_i> - F_i)
// For each output the ds sum to zero, so the gradient of decay is sum ds_i t_i whatever the origin of t. The gradient
// itself cannot be differentiated again: trying to throws c10::Error with a message that says so.

#include <torch/types.h>

#include "absl/status/statusor.h"
#include "model/attention/forgetting.h"

namespace aaren::attention {

//   scores  [*, N]; -inf masks a token, whatever its value; after one that is not below inf, all outputs are NaN
//   values  [*, N, D], of any strides
// Returns [*, N, D], zeros where every token so far is masked. Differentiable in scores, values and decay. float32 or
// float64, on a CPU or a CUDA device. InvalidArgument names the argument that is wrong; FailedPrecondition if the
// device has no kernels here, Internal if they fail.
absl::StatusOr<torch::Tensor> ScanAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                            const Forgetting& forgetting = {});

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_SCAN_H_
