#include "model/paper/attention/softmax.h"

#include <torch/torch.h>

#include <optional>

#include "model/attention/argument.h"

namespace aaren::attention {
namespace {

// Reshapes [*, N, K] to [batch, heads, N, K], because torch's fused kernels take four dimensions only.
torch::Tensor AsBatchAndHeads(const torch::Tensor& x) {
  return x.dim() == 4 ? x : x.reshape({1, -1, x.size(-2), x.size(-1)});
}

}  // namespace

absl::StatusOr<torch::Tensor> CausalSoftmaxAttention(const torch::Tensor& queries, const torch::Tensor& keys,
                                                     const torch::Tensor& values) {
  if (absl::Status status = RequireQueriesKeysAndValues(queries, keys, values); !status.ok()) return status;
  const torch::Tensor outputs =
      at::scaled_dot_product_attention(AsBatchAndHeads(queries), AsBatchAndHeads(keys), AsBatchAndHeads(values),
                                       /*attn_mask=*/std::nullopt, /*dropout_p=*/0, /*is_causal=*/true);
  return queries.dim() == 4 ? outputs : outputs.reshape(values.sizes());
}

}  // namespace aaren::attention
