#include "model/paper/attention/linear/causal_product.h"

#include <torch/torch.h>

#include <algorithm>

namespace aaren::attention {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr int64_t kChunk = 64;  // tokens: the weights of a chunk are about as large as the chunk's a, b and c

// Cuts [*, N, K] into [*, chunks, chunk, K], with zeros after the last token. Zeros add nothing to any sum.
torch::Tensor Chunked(const torch::Tensor& x, int64_t chunk) {
  const int64_t tokens = x.size(-2), padding = (chunk - tokens % chunk) % chunk;
  const torch::Tensor whole = padding == 0 ? x : torch::constant_pad_nd(x, {0, 0, 0, padding});
  return whole.unflatten(-2, {-1, chunk});
}

// For each chunk the sum over all earlier chunks, [*, chunks, K, D]. The inclusive sum less the chunk's own sum would
// cancel digits, and would let a chunk's tokens into earlier outputs.
torch::Tensor SumBefore(const torch::Tensor& sums) {
  const torch::Tensor first = torch::zeros_like(sums.narrow(-3, 0, 1));
  return torch::cat({first, sums.narrow(-3, 0, sums.size(-3) - 1).cumsum(-3)}, -3);
}

torch::Tensor ProductByChunks(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& c) {
  const int64_t tokens = a.size(-2), chunk = std::min(tokens, kChunk);
  const torch::Tensor as = Chunked(a, chunk), bs = Chunked(b, chunk), cs = Chunked(c, chunk);
  const torch::Tensor weights = torch::matmul(as, bs.transpose(-1, -2)).tril();
  torch::Tensor products = torch::matmul(weights, cs);
  if (chunk < tokens) {
    products = products + torch::matmul(as, SumBefore(torch::matmul(bs.transpose(-1, -2), cs)));
  }
  return products.flatten(-3, -2).narrow(-2, 0, tokens);
}

// The same product, summed over j >= i.
torch::Tensor ProductFromTheRight(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& c) {
  return ProductByChunks(a.flip(-2), b.flip(-2), c.flip(-2)).flip(-2);
}

struct Product : torch::autograd::Function<Product> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& a, const torch::Tensor& b,
                               const torch::Tensor& c) {
    context->save_for_backward({a, b, c});
    return ProductByChunks(a, b, c);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const tensor_list saved = context->get_saved_variables();
    // Each gradient is the same kind of product: over earlier tokens for a, and over later tokens for b and c.
    const torch::Tensor &a = saved[0], &b = saved[1], &c = saved[2], &g = gradients[0];
    return {context->needs_input_grad(0) ? ProductByChunks(g, c, b) : torch::Tensor(),
            context->needs_input_grad(1) ? ProductFromTheRight(c, g, a) : torch::Tensor(),
            context->needs_input_grad(2) ? ProductFromTheRight(b, a, g) : torch::Tensor()};
  }
};

}  // namespace

torch::Tensor CausalProduct(const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& c) {
  return Product::apply(a, b, c);
}

}  // namespace aaren::attention
