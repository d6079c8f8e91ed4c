#ifndef AAREN_TESTS_MODEL_ATTENTION_PREFIX_SOFTMAX_H_
#define AAREN_TESTS_MODEL_ATTENTION_PREFIX_SOFTMAX_H_

// The reference of the attention tests: attention with a constant query by plain loops over every prefix in float64.
// The reference shares no code with the library.

#include <gtest/gtest.h>
#include <torch/types.h>

#include "absl/status/statusor.h"
#include "model/attention/forgetting.h"

namespace aaren::attention {

// [*, N, D], float64.
struct PrefixSoftmax {
  torch::Tensor outputs;     // sum p v; zeros while every token so far is masked
  torch::Tensor magnitudes;  // sum p |v|, the measure of rounding
};

// scores [*, N], values [*, N, D] of any dtype; with forgetting, scores are [*, H, N]. Masked values are never read.
PrefixSoftmax ReferenceAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                 const Forgetting& forgetting = {});

// True if every output is within `tolerance` times its magnitude of the reference. A NaN is not within any tolerance.
testing::AssertionResult Matches(const absl::StatusOr<torch::Tensor>& outputs, const PrefixSoftmax& expected,
                                 double tolerance);

// The largest difference between corresponding numbers; NaN if any difference is NaN.
double Distance(const torch::Tensor& x, const torch::Tensor& y);

}  // namespace aaren::attention

#endif  // AAREN_TESTS_MODEL_ATTENTION_PREFIX_SOFTMAX_H_
