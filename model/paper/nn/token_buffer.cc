#include "model/paper/nn/token_buffer.h"

#include <torch/torch.h>

#include <algorithm>
#include <vector>

namespace aaren::nn {
namespace {

// A quarter of fewer than four tokens is 0. Growth by a quarter could never start from an empty buffer.
constexpr int64_t kLeastCapacity = 64;

torch::Tensor Grown(const torch::Tensor& buffer) {
  const int64_t capacity = buffer.size(-2);
  std::vector<int64_t> shape = buffer.sizes().vec();
  shape.end()[-2] = std::max(kLeastCapacity, capacity + capacity / 4);
  // The room beyond the tokens in use stays undefined, because nobody reads that room before a token is written.
  torch::Tensor grown = torch::empty(shape, buffer.options());
  grown.narrow(-2, 0, capacity).copy_(buffer);
  return grown;
}

}  // namespace

torch::Tensor EmptyTokenBuffer(at::IntArrayRef leading_sizes, int64_t width, const torch::TensorOptions& options) {
  std::vector<int64_t> shape = leading_sizes.vec();
  shape.insert(shape.end(), {0, width});
  return torch::empty(shape, options);
}

void AppendToken(torch::Tensor& buffer, int64_t tokens, const torch::Tensor& token) {
  if (tokens == buffer.size(-2)) buffer = Grown(buffer);
  buffer.select(-2, tokens).copy_(token);
}

}  // namespace aaren::nn
