#include "model/paper/attention/many_rnns.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/attention/argument.h"
#include "model/attention/attention_state.h"
#include "model/paper/attention/forms/blockwise.h"

namespace aaren::attention {
namespace {

// Scores of [*, Q, K] and [*, T, K] -> [*, Q, T].
torch::Tensor Scores(const torch::Tensor& queries, const torch::Tensor& keys) {
  return torch::matmul(queries, keys.transpose(-2, -1)) / std::sqrt(static_cast<double>(queries.size(-1)));
}

// Repeats the same tokens for each of `networks`, [*, T, D] -> [*, networks, T, D], without a copy.
torch::Tensor ForEach(int64_t networks, const torch::Tensor& values) {
  std::vector<int64_t> sizes = values.sizes().vec();
  sizes.insert(sizes.end() - 2, networks);
  return values.unsqueeze(-3).expand(sizes);
}

AttentionState StartAll(const torch::Tensor& queries, int64_t width) {
  return EmptyState(queries.select(-1, 0).sizes(), width, queries.options());
}

// Drops the first network, whose own token is done.
AttentionState WithoutFirst(const AttentionState& states) {
  return {.m = states.m.slice(-1, 1), .c = states.c.slice(-1, 1), .a = states.a.slice(-2, 1)};
}

absl::Status RequireTokensFor(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values) {
  if (absl::Status status = RequireFloat("queries", queries); !status.ok()) return status;
  if (absl::Status status = RequireRank("queries", queries, 2); !status.ok()) return status;
  if (absl::Status status = RequireLike("keys", keys, "queries", queries); !status.ok()) return status;
  std::vector<int64_t> sizes = queries.sizes().vec();
  sizes[sizes.size() - 2] = -1;
  if (absl::Status status = RequireShape("keys", keys, sizes); !status.ok()) return status;
  return RequireQueriesKeysAndValues(keys, keys, values);  // keys and values remain to be checked
}

}  // namespace

absl::StatusOr<torch::Tensor> CausalAttentionAsRnns(const torch::Tensor& queries, const torch::Tensor& keys,
                                                    const torch::Tensor& values) {
  if (absl::Status status = RequireQueriesKeysAndValues(queries, keys, values); !status.ok()) return status;
  const int64_t tokens = keys.size(-2);
  AttentionState states = StartAll(queries, values.size(-1));
  std::vector<torch::Tensor> outputs;
  for (int64_t j = 0; j < tokens; ++j) {  // networks j .. N - 1 see token j
    const torch::Tensor scores = Scores(queries.slice(-2, j), keys.slice(-2, j, j + 1)).squeeze(-1);
    states = Fold(states, scores, values.slice(-2, j, j + 1).expand_as(states.a));
    outputs.push_back(Output(states).select(-2, 0));
    states = WithoutFirst(states);
  }
  return torch::stack(outputs, -2);
}

absl::StatusOr<torch::Tensor> CrossAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                             const torch::Tensor& values, int64_t block_size) {
  if (absl::Status status = RequireTokensFor(queries, keys, values); !status.ok()) return status;
  if (absl::Status status = RequireBlockSize("block_size", block_size); !status.ok()) return status;
  const int64_t tokens = keys.size(-2), size = std::min(block_size, tokens);
  AttentionState states = StartAll(queries, values.size(-1));
  for (int64_t begin = 0; begin < tokens; begin += size) {
    const int64_t end = std::min(begin + size, tokens);
    states = FoldBlock(states, Scores(queries, keys.slice(-2, begin, end)),
                       ForEach(queries.size(-2), values.slice(-2, begin, end)));
  }
  return Output(states);
}

}  // namespace aaren::attention
