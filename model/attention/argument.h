#ifndef AAREN_MODEL_ATTENTION_ARGUMENT_H_
#define AAREN_MODEL_ATTENTION_ARGUMENT_H_

// Checks of tensors given by a caller. InvalidArgument names the argument, its actual shape, dtype or device, and what
// is needed: "values has shape [2, 3, 5, 4]; [2, 3, 6, *] is needed".

#include <torch/types.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::attention {

// Requires float32 or float64.
absl::Status RequireFloat(absl::string_view name, const torch::Tensor& tensor);

// Requires at least `dimensions` dimensions.
absl::Status RequireRank(absl::string_view name, const torch::Tensor& tensor, int64_t dimensions);

// Requires exactly this shape; -1 stands for any size.
absl::Status RequireShape(absl::string_view name, const torch::Tensor& tensor, at::IntArrayRef shape);

// Requires the dtype and the device of another argument.
absl::Status RequireLike(absl::string_view name, const torch::Tensor& tensor, absl::string_view other_name,
                         const torch::Tensor& other);

// Requires scores [*, N] and values [*, N, D], alike: the arguments of every formulation of attention. N, D >= 1.
absl::Status RequireScoresAndValues(const torch::Tensor& scores, const torch::Tensor& values);

// Requires queries [*, N, K], keys [*, N, K] and values [*, N, D], alike. N, K, D >= 1.
absl::Status RequireQueriesKeysAndValues(const torch::Tensor& queries, const torch::Tensor& keys,
                                         const torch::Tensor& values);

// Requires that `heads` divides `width`, both >= 1; `name` names the width.
absl::Status RequireHeadsDivide(absl::string_view name, int64_t width, int64_t heads);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_ARGUMENT_H_
