#include "model/paper/attention/linear/linear.h"

#include <torch/torch.h>

#include <vector>

#include "model/attention/argument.h"
#include "model/paper/attention/linear/causal_product.h"

namespace aaren::attention {
namespace {

// Appends a column of ones, so that the sum of weights is one more column of the weighted sum of values.
torch::Tensor WithOnes(const torch::Tensor& values) {
  return torch::cat({values, torch::ones_like(values.narrow(-1, 0, 1))}, -1);
}

// Divides all columns by the last. A divisor too small for the quotient or for the gradient gives zero.
torch::Tensor Normalised(const torch::Tensor& sums) {
  // The gradient divides an ordinary quotient by the divisor once more: 1e30 is a finite float, and 1e290 a finite
  // double.
  const double least = sums.scalar_type() == torch::kFloat64 ? 1e-290 : 1e-30;
  const torch::Tensor numerator = sums.narrow(-1, 0, sums.size(-1) - 1), denominator = sums.narrow(-1, -1, 1);
  const torch::Tensor none = denominator < least;
  return (numerator / denominator.masked_fill(none, 1)).masked_fill(none, 0);
}

}  // namespace

torch::Tensor PositiveFeatures(const torch::Tensor& x) {
  return torch::where(x > 0, x + 1, x.clamp_max(0).exp());  // neither exp nor its gradient may overflow
}

absl::StatusOr<torch::Tensor> LinearAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                              const torch::Tensor& values) {
  if (absl::Status status = RequireQueriesKeysAndValues(queries, keys, values); !status.ok()) return status;
  const torch::Tensor sums = torch::matmul(PositiveFeatures(keys).transpose(-1, -2), WithOnes(values));  // S and Z
  return Normalised(torch::matmul(PositiveFeatures(queries), sums));
}

absl::StatusOr<torch::Tensor> DenseCausalLinearAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                                         const torch::Tensor& values) {
  if (absl::Status status = RequireQueriesKeysAndValues(queries, keys, values); !status.ok()) return status;
  const torch::Tensor weights = torch::matmul(PositiveFeatures(queries), PositiveFeatures(keys).transpose(-1, -2));
  return Normalised(torch::matmul(weights.tril(), WithOnes(values)));
}

absl::StatusOr<torch::Tensor> CausalLinearAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                                    const torch::Tensor& values) {
  if (absl::Status status = RequireQueriesKeysAndValues(queries, keys, values); !status.ok()) return status;
  return Normalised(CausalProduct(PositiveFeatures(queries), PositiveFeatures(keys), WithOnes(values)));
}

LinearState EmptyLinearState(at::IntArrayRef leading_sizes, int64_t key_width, int64_t value_width,
                             const torch::TensorOptions& options) {
  std::vector<int64_t> shape = leading_sizes.vec();
  shape.push_back(key_width);
  const torch::Tensor z = torch::zeros(shape, options);
  shape.push_back(value_width);
  return {.s = torch::zeros(shape, options), .z = z};
}

LinearState Fold(const LinearState& state, const torch::Tensor& keys, const torch::Tensor& values) {
  const torch::Tensor features = PositiveFeatures(keys);
  return {.s = state.s + features.unsqueeze(-1) * values.unsqueeze(-2), .z = state.z + features};
}

torch::Tensor Output(const LinearState& state, const torch::Tensor& queries) {
  const torch::Tensor features = PositiveFeatures(queries);
  const torch::Tensor numerator = torch::matmul(features.unsqueeze(-2), state.s).squeeze(-2);
  return Normalised(torch::cat({numerator, (features * state.z).sum(-1, true)}, -1));
}

}  // namespace aaren::attention
