#ifndef AAREN_MODEL_ATTENTION_SCAN_SCAN_H_
#define AAREN_MODEL_ATTENTION_SCAN_SCAN_H_

// The production scan: all N outputs of attention with a constant query in one fused pass over the values, in O(N)
// time. The scan needs no memory beyond the outputs and one number per token. Training uses the scan. The kernels
// (scan_kernel.h) run on the CPU, in parallel over series and heads, and on a GPU if available.
//
// Forward, with the running maximum m and denominator c of paper §3.1, and p_k = exp(s_k - m_k) / c_k the share of
// token k in its own output:
//   o_k = o_{k-1} + p_k (v_k - o_{k-1})
//
// Backward, with g_k the gradient at o_k. Every factor is <= 1, and the pass reads only v, o and p:
//   G_i = g_i + (1 - p_{i+1}) G_{i+1},   F_i = <g_i, o_i> + (1 - p_{i+1}) F_{i+1}
//   dv_i = p_i G_i,   ds_i = p_i (<v_i, G_i> - F_i)
// For each output the ds sum to zero, so the gradient of decay is sum ds_i t_i for any origin of t. The gradient itself
// cannot be differentiated again: an attempt throws c10::Error with a message that says so.

#include <torch/types.h>

#include "absl/status/statusor.h"
#include "model/attention/forgetting.h"

namespace aaren::attention {

//   scores  [*, N]; -inf masks a token, even if its value is NaN; from a score of +inf or NaN on, all outputs are NaN
//   values  [*, N, D], any strides
// Returns [*, N, D], zeros while every token so far is masked. Differentiable in scores, values and decay. float32 or
// float64, on a CPU or a CUDA device. InvalidArgument names the wrong argument. FailedPrecondition if no kernels for
// the device are installed, Internal if the kernels fail.
absl::StatusOr<torch::Tensor> ScanAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                            const Forgetting& forgetting = {});

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_SCAN_H_
