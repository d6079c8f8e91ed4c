#include <ATen/Parallel.h>
#include <torch/torch.h>

#include "model/nn/fused/fused.h"
#include "model/nn/fused/row_kernels.h"

namespace aaren::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr int64_t kGrain = 1 << 13;  // the least numbers that a thread takes

// The kernels map (gate, x) to out, and back.
using Forward = void(const float*, const float*, size_t, float*);
using Backward = void(const float*, const float*, const float*, size_t, float*, float*);

template <Forward forward_row, Backward backward_row>
struct Gated : torch::autograd::Function<Gated<forward_row, backward_row>> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& gate, const torch::Tensor& x) {
    // Backward computes the sigmoid again from the inputs, so no intermediate tensor is kept between the passes.
    context->save_for_backward({gate, x});
    torch::Tensor out = torch::empty_like(x);
    const float *z = gate.const_data_ptr<float>(), *from = x.const_data_ptr<float>();
    float* to = out.mutable_data_ptr<float>();
    at::parallel_for(0, x.numel(), kGrain, [&](int64_t begin, int64_t end) {
      forward_row(z + begin, from + begin, end - begin, to + begin);
    });
    return out;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const tensor_list saved = context->get_saved_variables();
    const torch::Tensor gradient = gradients[0].contiguous();
    torch::Tensor by_gate = torch::empty_like(gradient), by_x = torch::empty_like(gradient);
    const float *g = gradient.const_data_ptr<float>(), *z = saved[0].const_data_ptr<float>(),
                *x = saved[1].const_data_ptr<float>();
    float *dz = by_gate.mutable_data_ptr<float>(), *dx = by_x.mutable_data_ptr<float>();
    at::parallel_for(0, gradient.numel(), kGrain, [&](int64_t begin, int64_t end) {
      backward_row(g + begin, z + begin, x + begin, end - begin, dz + begin, dx + begin);
    });
    return {by_gate, by_x};
  }
};

bool Fuses(const at::Tensor& x) { return x.device().is_cpu() && x.scalar_type() == torch::kFloat32; }

}  // namespace

at::Tensor SiluGated(const at::Tensor& gate, const at::Tensor& up) {
  if (!Fuses(up)) return torch::silu(gate) * up;
  return Gated<SiluTimes, SiluTimesGradient>::apply(gate.contiguous(), up.contiguous());
}

at::Tensor SigmoidGated(const at::Tensor& gate, const at::Tensor& x) {
  if (!Fuses(x)) return x * (2 * torch::sigmoid(gate));
  return Gated<SigmoidTimes, SigmoidTimesGradient>::apply(gate.contiguous(), x.contiguous());
}

}  // namespace aaren::nn
