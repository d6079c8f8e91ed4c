#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>

#include "model/nn/fused/fused.h"
#include "model/nn/fused/row_kernels.h"

namespace aaren::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr float kEpsilon = 1e-6f;  // the engine's (rule 11.8)
constexpr int64_t kBlock = 64;     // rows of one partial sum of weight gradients, the same for any number of threads

struct Fused : torch::autograd::Function<Fused> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight) {
    const int64_t width = weight.numel(), rows = x.numel() / width;
    // One number per row is kept for backward, not a normalised copy of x.
    torch::Tensor out = torch::empty_like(x), inverse = torch::empty({rows});
    const float *from = x.const_data_ptr<float>(), *w = weight.const_data_ptr<float>();
    float *to = out.mutable_data_ptr<float>(), *scale = inverse.mutable_data_ptr<float>();
    at::parallel_for(0, rows, kBlock, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) scale[n] = RmsNormRow(from + n * width, w, width, kEpsilon, to + n * width);
    });
    context->save_for_backward({x, weight, inverse});
    return out;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const tensor_list saved = context->get_saved_variables();
    const torch::Tensor gradient = gradients[0].contiguous();
    const int64_t width = saved[1].numel(), rows = saved[2].numel(), blocks = (rows + kBlock - 1) / kBlock;
    torch::Tensor by_x = torch::empty_like(saved[0]), by_weight = torch::zeros({blocks, width});
    const float *g = gradient.const_data_ptr<float>(), *x = saved[0].const_data_ptr<float>(),
                *w = saved[1].const_data_ptr<float>(), *scale = saved[2].const_data_ptr<float>();
    float *dx = by_x.mutable_data_ptr<float>(), *dw = by_weight.mutable_data_ptr<float>();
    at::parallel_for(0, blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin * kBlock; n < std::min(end * kBlock, rows); ++n) {
        const int64_t at = n * width;
        RmsNormRowGradient(g + at, x + at, w, width, scale[n], dx + at, dw + n / kBlock * width);
      }
    });
    return {by_x, by_weight.sum(0)};
  }
};

}  // namespace

at::Tensor RmsNormed(const at::Tensor& x, const at::Tensor& weight) {
  const bool fused = x.device().is_cpu() && x.scalar_type() == torch::kFloat32;
  if (!fused) return torch::rms_norm(x, {weight.numel()}, weight, kEpsilon);
  return Fused::apply(x.contiguous(), weight.contiguous());
}

}  // namespace aaren::nn
