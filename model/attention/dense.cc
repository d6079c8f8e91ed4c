#include "model/attention/dense.h"

#include <torch/torch.h>

#include <limits>

namespace aaren {

torch::Tensor DenseAttention(const torch::Tensor& scores, const torch::Tensor& positions, const torch::Tensor& decay,
                             const torch::Tensor& values) {
  const int64_t tokens = scores.size(2);
  const torch::Tensor at = positions.to(scores.scalar_type());
  const torch::Tensor elapsed = at.unsqueeze(1) - at.unsqueeze(0);  // [N, N]
  const torch::Tensor logits = scores.unsqueeze(2) - decay.view({1, -1, 1, 1}) * elapsed.view({1, 1, tokens, tokens});
  const torch::Tensor future = torch::ones({tokens, tokens}, torch::kBool).triu(1);
  const torch::Tensor causal = logits.masked_fill(future, -std::numeric_limits<double>::infinity());
  const torch::Tensor weights = torch::softmax(causal, -1);
  return torch::matmul(weights.masked_fill(weights.isnan(), 0), values);  // a row of only -inf has no softmax
}

}  // namespace aaren
