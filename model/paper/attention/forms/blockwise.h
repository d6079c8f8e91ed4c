#ifndef AAREN_MODEL_PAPER_ATTENTION_FORMS_BLOCKWISE_H_
#define AAREN_MODEL_PAPER_ATTENTION_FORMS_BLOCKWISE_H_

// Attention with a constant query block by block (paper, appendix A). FoldBlock of attention_state.h absorbs b tokens
// at once, and only the state passes from block to block. b = 1 is the recurrent cell, b = N conventional attention. A
// larger b takes more memory, O(b) beyond inputs and outputs, for fewer and larger operations.
//
// float32 or float64, any device. Differentiable in scores and values, but autograd then keeps more than O(b).

#include <torch/types.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/attention/attention_state.h"

namespace aaren::attention {

// OK if size >= 1, else InvalidArgument with the name.
absl::Status RequireBlockSize(absl::string_view name, int64_t size);

// Many to many: output k folds the block's tokens up to k into the state before the block. So N outputs take about N b
// / 2 weights.
//   scores      [*, N], < inf; -inf masks a token, even if its value is NaN
//   values      [*, N, D]
//   block_size  b >= 1; the last block may be shorter
// Returns [*, N, D], zeros while every token so far is masked. InvalidArgument names the wrong argument.
absl::StatusOr<torch::Tensor> BlockwiseAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                                 int64_t block_size);

// Many to one: the state [*] after the last block, in ceil(N / b) steps. Arguments and errors as in BlockwiseAttention.
absl::StatusOr<AttentionState> BlockwiseState(const torch::Tensor& scores, const torch::Tensor& values,
                                              int64_t block_size);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_PAPER_ATTENTION_FORMS_BLOCKWISE_H_
