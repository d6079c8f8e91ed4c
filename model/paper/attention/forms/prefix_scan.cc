#include "model/paper/attention/forms/prefix_scan.h"

#include <torch/torch.h>

#include <algorithm>
#include <vector>

#include "model/attention/argument.h"
#include "model/paper/attention/forms/blockwise.h"

namespace aaren::attention {
namespace {

int64_t Tokens(const AttentionState& states) { return states.m.size(-1); }

// Every `step`-th token of begin .. end - 1, as views and not copies.
AttentionState Slice(const AttentionState& states, int64_t begin, int64_t end, int64_t step = 1) {
  return {.m = states.m.slice(-1, begin, end, step),
          .c = states.c.slice(-1, begin, end, step),
          .a = states.a.slice(-2, begin, end, step)};
}

AttentionState Join(const AttentionState& x, const AttentionState& y) {
  return {.m = torch::cat({x.m, y.m}, -1), .c = torch::cat({x.c, y.c}, -1), .a = torch::cat({x.a, y.a}, -2)};
}

// Stacks states along a new last leading dimension, one token each.
AttentionState Stack(const std::vector<AttentionState>& columns) {
  std::vector<torch::Tensor> m, c, a;
  for (const AttentionState& column : columns) {
    m.push_back(column.m);
    c.push_back(column.c);
    a.push_back(column.a);
  }
  return {.m = torch::stack(m, -1), .c = torch::stack(c, -1), .a = torch::stack(a, -2)};
}

// Flatten joins the last two leading dimensions; Unflatten splits them again.
AttentionState Flatten(const AttentionState& grid) {
  return {.m = grid.m.flatten(-2), .c = grid.c.flatten(-2), .a = grid.a.flatten(-3, -2)};
}

AttentionState Unflatten(const AttentionState& states, int64_t rows, int64_t columns) {
  return {.m = states.m.unflatten(-1, {rows, columns}),
          .c = states.c.unflatten(-1, {rows, columns}),
          .a = states.a.unflatten(-2, {rows, columns})};
}

AttentionState Column(const AttentionState& grid, int64_t j) {
  return {.m = grid.m.select(-1, j), .c = grid.c.select(-1, j), .a = grid.a.select(-2, j)};
}

// `tokens` identities of the shape of `states`.
AttentionState Identities(const AttentionState& states, int64_t tokens) {
  std::vector<int64_t> sizes = states.m.sizes().vec();
  sizes.back() = tokens;
  return EmptyState(sizes, states.a.size(-1), states.m.options());
}

// The sum (+) of each row of a grid [*, rows, columns], over all columns at once.
AttentionState ReduceRows(const AttentionState& grid) {
  const torch::Tensor m = grid.m.detach().amax(-1);
  const torch::Tensor weights = (grid.m - m.masked_fill(m.isneginf(), 0).unsqueeze(-1)).exp();  // exp(-inf - 0) is 0
  return {.m = m, .c = (weights * grid.c).sum(-1), .a = torch::matmul(weights.unsqueeze(-2), grid.a).squeeze(-2)};
}

}  // namespace

AttentionState HillisSteeleScan(const AttentionState& leaves, StateOperator combine) {
  const int64_t tokens = Tokens(leaves);
  AttentionState z = leaves;
  // Each level doubles the reach of every token, so ceil(log2 N) levels see all tokens (paper, Algorithm 1).
  for (int64_t offset = 1; offset < tokens; offset *= 2) {
    z = Join(Slice(z, 0, offset), combine(Slice(z, 0, tokens - offset), Slice(z, offset, tokens)));
  }
  return z;
}

AttentionState BrentKungScan(const AttentionState& leaves, StateOperator combine) {
  const int64_t tokens = Tokens(leaves), pairs = tokens / 2, evens = tokens - pairs;
  if (tokens == 1) return leaves;
  const AttentionState odd =
      // Neighbours are combined and half as many states scanned. An even token then needs one more combination with the
      // odd state before, hence O(N) work in all.
      BrentKungScan(combine(Slice(leaves, 0, 2 * pairs, 2), Slice(leaves, 1, tokens, 2)), combine);
  AttentionState even = Slice(leaves, 0, 1);
  if (evens > 1) even = Join(even, combine(Slice(odd, 0, evens - 1), Slice(leaves, 2, tokens, 2)));
  const AttentionState both = Flatten(Stack({Slice(even, 0, pairs), odd}));
  return evens > pairs ? Join(both, Slice(even, pairs, evens)) : both;
}

AttentionState ChunkedScan(const AttentionState& leaves, int64_t chunk, StateOperator combine) {
  const int64_t tokens = Tokens(leaves), size = std::min(chunk, tokens), chunks = (tokens + size - 1) / size;
  // Identities fill the last chunk: combining with an identity changes no other state.
  const AttentionState grid = Unflatten(Join(leaves, Identities(leaves, chunks * size - tokens)), chunks, size);
  const AttentionState ends = BrentKungScan(ReduceRows(grid), combine);
  // The state before a chunk is the end of the chunk before, and the first chunk starts from the identity.
  AttentionState running = Join(Identities(ends, 1), Slice(ends, 0, chunks - 1));
  std::vector<AttentionState> columns;
  for (int64_t j = 0; j < size; ++j) {
    running = combine(running, Column(grid, j));
    columns.push_back(running);
  }
  return Slice(Flatten(Stack(columns)), 0, tokens);
}

absl::StatusOr<torch::Tensor> PrefixScanAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                                  PrefixScan algorithm, int64_t chunk) {
  if (absl::Status status = RequireScoresAndValues(scores, values); !status.ok()) return status;
  if (absl::Status status = RequireBlockSize("chunk", chunk); !status.ok()) return status;
  const AttentionState leaves = Leaf(scores, values);
  switch (algorithm) {
    case PrefixScan::kHillisSteele:
      return Output(HillisSteeleScan(leaves));
    case PrefixScan::kBrentKung:
      return Output(BrentKungScan(leaves));
    case PrefixScan::kChunked:
      return Output(ChunkedScan(leaves, chunk));
  }
  return absl::InvalidArgumentError("algorithm is none of PrefixScan");
}

}  // namespace aaren::attention
