#ifndef AAREN_MODEL_PAPER_ATTENTION_LINEAR_CAUSAL_PRODUCT_H_
#define AAREN_MODEL_PAPER_ATTENTION_LINEAR_CAUSAL_PRODUCT_H_

// The sum behind causal linear attention, for all i at once and without N x N weights:
//
//   P_i = sum_{j <= i} (a_i . b_j) c_j = a_i^T S_i,   S_i = sum_{j <= i} b_j c_j^T
//
// The sum is computed by chunks of tokens. Weights are formed inside a chunk only; all earlier chunks enter through
// their sum S. So time and memory are O(N). The gradients are products of the same kind, with g_i the gradient at P_i:
//
//   da_i = sum_{j <= i} (g_i . c_j) b_j,   db_j = sum_{i >= j} (c_j . g_i) a_i,   dc_j = sum_{i >= j} (b_j . a_i) g_i

#include <torch/types.h>

namespace aaren::attention {

// a, b [*, N, K], c [*, N, D] -> [*, N, D]. Differentiable, also twice; only a, b and c are kept for the gradient.
// REQUIRES: shapes, dtypes and devices that agree, every size >= 1.
torch::Tensor CausalProduct(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& c);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_PAPER_ATTENTION_LINEAR_CAUSAL_PRODUCT_H_
