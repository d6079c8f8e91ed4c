#ifndef AAREN_MODEL_ATTENTION_FORMS_PREFIX_SCAN_H_
#define AAREN_MODEL_ATTENTION_FORMS_PREFIX_SCAN_H_

// Parallel prefix scans (paper, §3.2): from the states x_1 .. x_N of single tokens, all prefixes
//
//   z_k = x_1 (+) ... (+) x_k,   k = 1 .. N
//
// and with them all N outputs of attention with a constant query. The states lie along the last leading dimension, m
// and c [*, N], a [*, N, D]. The operator is a parameter, so that its applications can be counted. One call is one
// level of the scan and applies it to as many pairs as its arguments have tokens:
//
//   HillisSteeleScan   L = ceil(log2 N) levels, N L - (2^L - 1) applications
//   BrentKungScan      at most 2 floor(log2 N) levels, 2 N - 1 - floor(log2 N) - (ones in N, in binary) applications;
//                      for N = 2^L these are 2 L - 1 and 2 N - 2 - L
//   ChunkedScan        BrentKungScan of the C = ceil(N / b) chunks of b tokens, then b levels, b C applications
//
// REQUIRES, of the three: N >= 1. They are built from whole-tensor operations on slices and work on any device; scan.h
// is the fast one.

#include <torch/types.h>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "model/attention/attention_state.h"

namespace aaren::attention {

// An associative operator, elementwise over *; it need not be commutative. It sees earlier tokens on the left.
using StateOperator = absl::FunctionRef<AttentionState(const AttentionState&, const AttentionState&)>;

// The paper's Algorithm 1 with the offset corrected: 2^(i-1) for i = 1 .. L, where the paper prints 2^i, which skips
// offset 1 and gives wrong prefixes. Fewest levels, O(N log N) work.
AttentionState HillisSteeleScan(const AttentionState& leaves, StateOperator combine = Combine);

// Up and down a tree, O(N) work: the prefixes of pairs are those of odd tokens, and one more application each gives the
// even ones. Any N; an odd last token waits for the way down.
AttentionState BrentKungScan(const AttentionState& leaves, StateOperator combine = Combine);

// Cuts the tokens into chunks, padding the last with the identity. It reduces each chunk at once in block form (paper,
// appendix A), scans the sums, and finishes inside all chunks together, token by token. `combine` must therefore be
// Combine, but for bookkeeping. REQUIRES: chunk >= 1.
AttentionState ChunkedScan(const AttentionState& leaves, int64_t chunk, StateOperator combine = Combine);

enum class PrefixScan { kHillisSteele, kBrentKung, kChunked };

// Attention with a constant query by a prefix scan over its tokens' leaves.
//   scores  [*, N], < inf; -inf masks a token, whatever its value
//   values  [*, N, D]
//   chunk   >= 1, read by kChunked only
// Returns [*, N, D], zeros where every token so far is masked. Differentiable. float32 or float64. InvalidArgument
// names the argument that is wrong.
absl::StatusOr<torch::Tensor> PrefixScanAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                                  PrefixScan algorithm, int64_t chunk = 64);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_FORMS_PREFIX_SCAN_H_
