#include "model/paper/attention/forms/blockwise.h"

#include <torch/torch.h>

#include <algorithm>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "model/attention/argument.h"

namespace aaren::attention {
namespace {

absl::Status Check(const torch::Tensor& scores, const torch::Tensor& values, int64_t block_size) {
  if (absl::Status status = RequireScoresAndValues(scores, values); !status.ok()) return status;
  return RequireBlockSize("block_size", block_size);
}

AttentionState FoldTokens(const AttentionState& state, const torch::Tensor& scores, const torch::Tensor& values,
                          int64_t begin, int64_t end) {
  return FoldBlock(state, scores.slice(-1, begin, end), values.slice(-2, begin, end));
}

// Folds every block. Before each block, shows the state and the block's tokens begin .. end - 1.
AttentionState Run(const torch::Tensor& scores, const torch::Tensor& values, int64_t block_size,
                   absl::FunctionRef<void(const AttentionState&, int64_t, int64_t)> show) {
  const int64_t tokens = scores.size(-1), size = std::min(block_size, tokens);
  AttentionState state = EmptyState(scores.select(-1, 0).sizes(), values.size(-1), scores.options());
  for (int64_t begin = 0; begin < tokens; begin += size) {
    const int64_t end = std::min(begin + size, tokens);
    show(state, begin, end);
    state = FoldTokens(state, scores, values, begin, end);
  }
  return state;
}

}  // namespace

absl::Status RequireBlockSize(absl::string_view name, int64_t size) {
  if (size >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", size, "; at least 1 is needed"));
}

absl::StatusOr<torch::Tensor> BlockwiseAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                                 int64_t block_size) {
  if (absl::Status status = Check(scores, values, block_size); !status.ok()) return status;
  std::vector<torch::Tensor> outputs;
  Run(scores, values, block_size, [&](const AttentionState& before, int64_t begin, int64_t end) {
    // An output inside a block starts from the state before the block, so no state but the block's is kept (appendix
    // A).
    for (int64_t k = begin; k < end; ++k) outputs.push_back(Output(FoldTokens(before, scores, values, begin, k + 1)));
  });
  return torch::stack(outputs, -2);
}

absl::StatusOr<AttentionState> BlockwiseState(const torch::Tensor& scores, const torch::Tensor& values,
                                              int64_t block_size) {
  if (absl::Status status = Check(scores, values, block_size); !status.ok()) return status;
  return Run(scores, values, block_size, [](const AttentionState&, int64_t, int64_t) {});
}

}  // namespace aaren::attention
