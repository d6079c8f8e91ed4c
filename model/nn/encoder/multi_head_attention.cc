#include "model/nn/encoder/multi_head_attention.h"

#include <torch/torch.h>

#include <cmath>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "model/attention/scan/scan.h"

namespace aaren::nn {

void MultiHeadAttentionImpl::reset() {
  const int64_t width = options.width();
  const auto input = [&] {
    return torch::nn::Linear(torch::nn::LinearOptions(width, width).bias(options.input_bias()));
  };
  if (options.aaren()) token = register_parameter("token", torch::randn({width}));
  query = register_module("query", input());
  key = register_module("key", input());
  value = register_module("value", input());
  output = register_module("output", torch::nn::Linear(width, width));
  dropout = register_module("dropout", torch::nn::Dropout(options.dropout()));
}

torch::Tensor MultiHeadAttentionImpl::forward(const torch::Tensor& x) {
  if (!options.aaren()) return Softmax(x, x, /*causal=*/true);
  const absl::StatusOr<torch::Tensor> averages =
      attention::ScanAttention(Scores(x).transpose(1, 2), Split(value(x)).transpose(1, 2));
  TORCH_CHECK(averages.ok(), std::string(averages.status().message()));
  return output(dropout(averages->transpose(1, 2).flatten(-2)));
}

torch::Tensor MultiHeadAttentionImpl::Over(const torch::Tensor& x, const torch::Tensor& memory) {
  return Softmax(x, memory, /*causal=*/false);
}

torch::Tensor MultiHeadAttentionImpl::Softmax(const torch::Tensor& x, const torch::Tensor& memory, bool causal) {
  const auto heads = [this](const torch::Tensor& tokens) { return Split(tokens).transpose(1, 2); };
  const double share = is_training() ? options.dropout() : 0;
  const torch::Tensor averages = at::scaled_dot_product_attention(
      heads(query(x)), heads(key(memory)), heads(value(memory)), /*attn_mask=*/std::nullopt, share, causal);
  return output(averages.transpose(1, 2).flatten(-2));
}

attention::AttentionState MultiHeadAttentionImpl::Start(int64_t batch) const {
  const int64_t heads = options.heads();
  return attention::EmptyState({batch, heads}, options.width() / heads, value->weight.options());
}

torch::Tensor MultiHeadAttentionImpl::Step(attention::AttentionState& state, const torch::Tensor& x) {
  torch::NoGradGuard no_grad;
  state = attention::Fold(state, Scores(x), Split(value(x)));
  return output(attention::Output(state).flatten(-2));
}

// The query is constant, so W_k and the query make one vector per head. The bias of W_k adds a constant to all scores
// of a head, and softmax cancels the constant.
torch::Tensor MultiHeadAttentionImpl::Scores(const torch::Tensor& x) {
  const int64_t heads = options.heads(), head_width = options.width() / heads;
  const torch::Tensor q = query(token).view({heads, 1, head_width});
  const torch::Tensor keys = key->weight.view({heads, head_width, -1});
  const torch::Tensor folded = torch::matmul(q, keys).squeeze(1) / std::sqrt(static_cast<double>(head_width));
  return torch::matmul(x, folded.t());
}

}  // namespace aaren::nn
