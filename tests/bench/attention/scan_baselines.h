#ifndef AAREN_TESTS_BENCH_ATTENTION_SCAN_BASELINES_H_
#define AAREN_TESTS_BENCH_ATTENTION_SCAN_BASELINES_H_

// Baselines of the fused scan: further ways to the same outputs, each written as well as tensor operations allow.
// Independent streams in parallel; any device; differentiable.
//
//   scores [S, N], values, keys and queries [S, N, D]; every result is [S, N, D]

#include <torch/types.h>

namespace aaren::bench {

// The corrected Algorithm 1 of the paper (§3.2) in tensor operations: log2 N passes over the whole state.
torch::Tensor HillisSteeleAttention(const torch::Tensor& scores, const torch::Tensor& values);

// o = cumsum(exp(s - max) v) / cumsum(exp(s - max)). The shortest and fastest form, right while no score lies more than
// about 80 below the largest of its stream; hence a flattering baseline. The stable form, by logcumsumexp of s + log
// |v| for either sign of v, takes several times as long.
torch::Tensor CumulativeAttention(const torch::Tensor& scores, const torch::Tensor& values);

// at::scaled_dot_product_attention, causal, with the constant query as the query of every token. The scores, computed
// too, are 1 / N of the work.
torch::Tensor CausalAttention(const torch::Tensor& query, const torch::Tensor& keys, const torch::Tensor& values);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ATTENTION_SCAN_BASELINES_H_
