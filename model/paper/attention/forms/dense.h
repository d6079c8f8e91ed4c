#ifndef AAREN_MODEL_PAPER_ATTENTION_FORMS_DENSE_H_
#define AAREN_MODEL_PAPER_ATTENTION_FORMS_DENSE_H_

// Attention with a constant query as matrices, in O(N^2) time and memory. All other forms are tested against this form,
// which shares no code with them. Row k of the weights is the softmax of the scores of tokens 0 .. k (paper, §3.3).
// With forgetting, each score is lowered by decay * (position k - position i). Outputs = weights * values.
//
// float32 or float64, any device. Differentiable, also twice, in scores, values and decay.

#include <torch/types.h>

#include "absl/status/statusor.h"
#include "model/attention/forgetting.h"

namespace aaren::attention {

//   scores  [*, N], < inf; -inf masks a token, even if its value is NaN. With forgetting [*, H, N].
//   values  [*, N, D]
// Returns [*, N, D], zeros while every token so far is masked. InvalidArgument names the wrong argument.
absl::StatusOr<torch::Tensor> DenseAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                             const Forgetting& forgetting = {});

// Conventional parallel attention for one query (paper, §3.1), many to one: only the last output, [*, D], in O(N).
// Arguments and errors as in DenseAttention.
absl::StatusOr<torch::Tensor> LastOutput(const torch::Tensor& scores, const torch::Tensor& values);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_PAPER_ATTENTION_FORMS_DENSE_H_
