#ifndef AAREN_MODEL_PAPER_ATTENTION_FORMS_RECURRENT_H_
#define AAREN_MODEL_PAPER_ATTENTION_FORMS_RECURRENT_H_

// Attention with a constant query as a recurrent network (paper, §3.1): one cell, Fold of attention_state.h, run token
// by token from m = -inf. The network needs no memory except the state, and is the definition in its plainest form.
// scan.h computes the same outputs fast.
//
// float32 or float64, any device. Differentiable in scores, values and decay. The running state is always float64. A
// float32 sum of thousands of equal numbers, added one at a time, rounds the same way each time and would drift.

#include <torch/types.h>

#include "absl/status/statusor.h"
#include "model/attention/attention_state.h"
#include "model/attention/forgetting.h"

namespace aaren::attention {

// Many to many: output k is attention over tokens 0 .. k.
//   scores  [*, N], < inf; -inf masks a token, even if its value is NaN. With forgetting [*, H, N].
//   values  [*, N, D]
// Returns [*, N, D], zeros while every token so far is masked. InvalidArgument names the wrong argument.
absl::StatusOr<torch::Tensor> RecurrentAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                                 const Forgetting& forgetting = {});

// Many to one: the state [*] after the last token, in the inputs' dtype. Arguments and errors as in RecurrentAttention.
absl::StatusOr<AttentionState> RecurrentState(const torch::Tensor& scores, const torch::Tensor& values,
                                              const Forgetting& forgetting = {});

}  // namespace aaren::attention

#endif  // AAREN_MODEL_PAPER_ATTENTION_FORMS_RECURRENT_H_
