#include <ATen/Parallel.h>
#include <torch/torch.h>

#include "model/nn/fused/fused.h"
#include "model/nn/fused/row_kernels.h"

namespace aaren::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr int64_t kGrain = 64;  // the least rows that a thread takes

torch::Tensor Turned(const torch::Tensor& x, const torch::Tensor& cosines, const torch::Tensor& sines, bool back) {
  const int64_t width = x.size(-1), positions = cosines.size(0);
  torch::Tensor out = torch::empty_like(x);
  const float *from = x.const_data_ptr<float>(), *c = cosines.const_data_ptr<float>(),
              *s = sines.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  at::parallel_for(0, x.numel() / width, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const int64_t at = n % positions * width;
      TurnRow(from + n * width, c + at, s + at, width, back, to + n * width);
    }
  });
  return out;
}

struct Fused : torch::autograd::Function<Fused> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& cosines,
                               const torch::Tensor& sines, bool back) {
    context->save_for_backward({cosines, sines});
    context->saved_data["back"] = back;
    return Turned(x, cosines, sines, back);
  }

  // The gradient of a turn is the turn back.
  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const tensor_list saved = context->get_saved_variables();
    const bool back = context->saved_data["back"].toBool();
    return {Turned(gradients[0].contiguous(), saved[0], saved[1], !back), {}, {}, {}};
  }
};

// Turns by operations of torch: a pair is a complex number.
torch::Tensor Unfused(const torch::Tensor& x, const torch::Tensor& angles, bool back) {
  const torch::Tensor turn = torch::polar(torch::ones_like(angles), back ? -angles : angles);
  const torch::Tensor pairs = torch::view_as_complex(x.contiguous().unflatten(-1, {-1, 2}));
  return torch::view_as_real(pairs * turn.to(torch::toComplexType(x.scalar_type()))).flatten(-2);
}

}  // namespace

at::Tensor PairsTurned(const at::Tensor& x, const at::Tensor& angles, bool back) {
  const bool fused = x.device().is_cpu() && x.scalar_type() == torch::kFloat32;
  if (!fused) return Unfused(x, angles, back);
  // Only cosines and sines are rounded to float: an angle far from 0 would lose its phase.
  const torch::Tensor cosines = angles.cos().to(torch::kFloat32), sines = angles.sin().to(torch::kFloat32);
  return Fused::apply(x.contiguous(), torch::stack({cosines, cosines}, -1).flatten(-2),
                      torch::stack({-sines, sines}, -1).flatten(-2), back);
}

}  // namespace aaren::nn
