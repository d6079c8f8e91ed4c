#include "tests/bench/attention/scan_baselines.h"

#include <torch/torch.h>

#include "model/attention/attention_state.h"
#include "model/paper/attention/forms/prefix_scan.h"

namespace aaren::bench {

torch::Tensor HillisSteeleAttention(const torch::Tensor& scores, const torch::Tensor& values) {
  return attention::Output(attention::HillisSteeleScan(attention::Leaf(scores, values)));
}

torch::Tensor CumulativeAttention(const torch::Tensor& scores, const torch::Tensor& values) {
  const torch::Tensor weights = (scores - scores.amax(-1, /*keepdim=*/true)).exp().unsqueeze(-1);
  return (weights * values).cumsum(1) / weights.cumsum(1);
}

torch::Tensor CausalAttention(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values) {
  return at::scaled_dot_product_attention(queries.unsqueeze(1), keys.unsqueeze(1), values.unsqueeze(1), std::nullopt,
                                          /*dropout_p=*/0.0, /*is_causal=*/true)
      .squeeze(1);
}

}  // namespace aaren::bench
