#ifndef AAREN_MODEL_PAPER_ATTENTION_FORMS_PREFIX_SCAN_H_
#define AAREN_MODEL_PAPER_ATTENTION_FORMS_PREFIX_SCAN_H_

// Parallel prefix scans (paper, §3.2). A scan computes from the states x_1 .. x_N of single tokens all prefixes
//
//   z_k = x_1 (+) ... (+) x_k,   k = 1 .. N
//
// and from the prefixes all N outputs of attention with a constant query. The states lie along the last leading
// dimension: m and c [*, N], a [*, N, D]. The operator is a parameter, so that a test can count its applications. One
// call of the operator is one level of the scan, and applies the operator to as many pairs as the arguments have
// tokens:
//
//   HillisSteeleScan   L = ceil(log2 N) levels, N L - (2^L - 1) applications
//   BrentKungScan      at most 2 floor(log2 N) levels, 2 N - 1 - floor(log2 N) - (ones in N, in binary) applications;
//                      for N = 2^L these are 2 L - 1 and 2 N - 2 - L
//   ChunkedScan        BrentKungScan of the C = ceil(N / b) chunks of b tokens, then b levels, b C applications
//
// REQUIRES, for all three: N >= 1. The scans consist of whole-tensor operations on slices and run on any device. scan.h
// has the fast scan.

#include <torch/types.h>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "model/attention/attention_state.h"

namespace aaren::attention {

// An associative operator, elementwise over *, not necessarily commutative. The left argument has the earlier tokens.
using StateOperator = absl::FunctionRef<AttentionState(const AttentionState&, const AttentionState&)>;

// The paper's Algorithm 1 with a corrected offset: 2^(i-1) for i = 1 .. L. The paper prints 2^i, which skips offset 1
// and gives wrong prefixes. Fewest levels, O(N log N) work.
AttentionState HillisSteeleScan(const AttentionState& leaves, StateOperator combine = Combine);

// Up and down a tree, O(N) work. The prefixes of the pairs are the prefixes of the odd tokens; one more application
// gives each even token's prefix. Works for any N; an odd last token is added on the way down.
AttentionState BrentKungScan(const AttentionState& leaves, StateOperator combine = Combine);

// Cuts the tokens into chunks and pads the last chunk with the identity. Each chunk is reduced at once in block form
// (paper, appendix A), the sums are scanned, and all chunks are finished together, token by token. `combine` must
// therefore be Combine, apart from bookkeeping. REQUIRES: chunk >= 1.
AttentionState ChunkedScan(const AttentionState& leaves, int64_t chunk, StateOperator combine = Combine);

enum class PrefixScan { kHillisSteele, kBrentKung, kChunked };

// Attention with a constant query by a prefix scan over the leaves of the tokens.
//   scores  [*, N], < inf; -inf masks a token, even if its value is NaN
//   values  [*, N, D]
//   chunk   >= 1, used by kChunked only
// Returns [*, N, D], zeros while every token so far is masked. Differentiable. float32 or float64. InvalidArgument
// names the wrong argument.
absl::StatusOr<torch::Tensor> PrefixScanAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                                  PrefixScan algorithm, int64_t chunk = 64);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_PAPER_ATTENTION_FORMS_PREFIX_SCAN_H_
