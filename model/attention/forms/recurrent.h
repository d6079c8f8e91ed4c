#ifndef AAREN_MODEL_ATTENTION_FORMS_RECURRENT_H_
#define AAREN_MODEL_ATTENTION_FORMS_RECURRENT_H_

// Attention with a constant query as the recurrent network it is (paper, §3.1): one cell, Fold of attention_state.h,
// run token by token from m = -inf. It needs no memory but the state, and it is the definition in its plainest form;
// scan.h computes the same outputs fast.
//
// float32 or float64, any device. Differentiable in scores, values and decay. The running state is float64 whatever the
// inputs: a sum of thousands of like numbers, one at a time, rounds the same way each time and would drift in float32.

#include <torch/types.h>

#include "absl/status/statusor.h"
#include "model/attention/attention_state.h"
#include "model/attention/forgetting.h"

namespace aaren::attention {

// Many to many: output k is attention over tokens 0 .. k.
//   scores  [*, N], < inf; -inf masks a token, whatever its value. With forgetting [*, H, N].
//   values  [*, N, D]
// Returns [*, N, D], zeros where every token so far is masked. InvalidArgument names the argument that is wrong.
absl::StatusOr<torch::Tensor> RecurrentAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                                 const Forgetting& forgetting = {});

// Many to one: the state [*] after the last token, of the inputs' dtype. Arguments and errors as above.
absl::StatusOr<AttentionState> RecurrentState(const torch::Tensor& scores, const torch::Tensor& values,
                                              const Forgetting& forgetting = {});

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_FORMS_RECURRENT_H_
