#include "model/paper/attention/forms/dense.h"

#include <torch/torch.h>

#include <limits>

#include "model/attention/argument.h"

namespace aaren::attention {
namespace {

// decay_h * (position k - position i), [H, N, N].
torch::Tensor Forgotten(const Forgetting& forgetting) {
  const torch::Tensor at = forgetting.positions.to(forgetting.decay.device(), torch::kFloat64);
  const torch::Tensor elapsed = (at.unsqueeze(1) - at.unsqueeze(0)).to(forgetting.decay.scalar_type());
  return forgetting.decay.view({-1, 1, 1}) * elapsed;
}

// Softmax over the allowed entries of each row; zeros in a row without any. The softmax of a row without allowed
// entries is not a number. The first mask keeps such a number out of the gradients, the second out of the weights.
torch::Tensor SoftmaxOver(const torch::Tensor& allowed, const torch::Tensor& logits) {
  const torch::Tensor nothing = allowed.any(-1, /*keepdim=*/true).logical_not();
  const torch::Tensor kept = logits.masked_fill(allowed.logical_not(), -std::numeric_limits<double>::infinity());
  return torch::softmax(kept, -1).masked_fill(nothing, 0);
}

// Clears the values of masked tokens. A weight of zero would not remove a value that is not finite.
torch::Tensor ValuesOf(const torch::Tensor& heard, const torch::Tensor& values) {
  return values.masked_fill(heard.logical_not().unsqueeze(-1), 0);
}

}  // namespace

absl::StatusOr<torch::Tensor> DenseAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                             const Forgetting& forgetting) {
  if (absl::Status status = RequireScoresAndValues(scores, values); !status.ok()) return status;
  if (absl::Status status = RequireForgetting(forgetting, scores); !status.ok()) return status;
  const torch::Tensor heard = scores.isneginf().logical_not();
  const torch::Tensor past = torch::ones({scores.size(-1), scores.size(-1)}, heard.options()).tril();
  const torch::Tensor allowed = past.logical_and(heard.unsqueeze(-2));  // [*, N, N]
  const torch::Tensor logits =
      forgetting.any() ? scores.unsqueeze(-2) - Forgotten(forgetting) : scores.unsqueeze(-2).expand_as(allowed);
  return torch::matmul(SoftmaxOver(allowed, logits), ValuesOf(heard, values));
}

absl::StatusOr<torch::Tensor> LastOutput(const torch::Tensor& scores, const torch::Tensor& values) {
  if (absl::Status status = RequireScoresAndValues(scores, values); !status.ok()) return status;
  const torch::Tensor heard = scores.isneginf().logical_not();
  const torch::Tensor weights = SoftmaxOver(heard, scores);
  return torch::matmul(weights.unsqueeze(-2), ValuesOf(heard, values)).squeeze(-2);
}

}  // namespace aaren::attention
