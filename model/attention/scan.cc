#include "model/attention/scan.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>

namespace aaren {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// One head of one series. Log-sums are doubles: u grows with the position, and its differences matter.
//   u [N], values and outputs [N, D], logsum [N]
template <typename Float>
void ScanHead(const double* u, const Float* values, int64_t tokens, int64_t width, Float* outputs, double* logsum) {
  double total = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < tokens; ++i) {
    const double high = std::max(total, u[i]);
    total = high + std::log1p(std::exp(std::min(total, u[i]) - high));
    logsum[i] = total;
    const Float weight = static_cast<Float>(std::exp(u[i] - total));
    const Float* before = i == 0 ? values : outputs + (i - 1) * width;
    for (int64_t d = 0; d < width; ++d) {
      outputs[i * width + d] = before[d] + weight * (values[i * width + d] - before[d]);
    }
  }
}

template <typename Float>
void ScanHeadBackward(const double* u, const double* logsum, const Float* values, const Float* outputs,
                      const Float* gradient, int64_t tokens, int64_t width, Float* sum, Float* u_gradient,
                      Float* values_gradient) {
  Float dots = 0;
  for (int64_t i = tokens - 1; i >= 0; --i) {
    const Float keep = i + 1 < tokens ? static_cast<Float>(std::exp(logsum[i] - logsum[i + 1])) : 0;
    const Float weight = static_cast<Float>(std::exp(u[i] - logsum[i]));
    Float output_dot = 0, value_dot = 0;
    for (int64_t d = 0; d < width; ++d) {
      const Float g = gradient[i * width + d];
      sum[d] = g + keep * sum[d];
      output_dot += g * outputs[i * width + d];
      value_dot += values[i * width + d] * sum[d];
      values_gradient[i * width + d] = weight * sum[d];
    }
    dots = output_dot + keep * dots;
    u_gradient[i] = weight * (value_dot - dots);
  }
}

template <typename Float>
void ScanAll(const torch::Tensor& u, const torch::Tensor& values, torch::Tensor& outputs, torch::Tensor& logsum) {
  const int64_t tokens = values.size(2), width = values.size(3);
  at::parallel_for(0, values.size(0) * values.size(1), 1, [&](int64_t begin, int64_t end) {
    for (int64_t h = begin; h < end; ++h) {
      ScanHead<Float>(u.data_ptr<double>() + h * tokens, values.data_ptr<Float>() + h * tokens * width, tokens, width,
                      outputs.data_ptr<Float>() + h * tokens * width, logsum.data_ptr<double>() + h * tokens);
    }
  });
}

template <typename Float>
void ScanAllBackward(const tensor_list& saved, const torch::Tensor& gradient, torch::Tensor& u_gradient,
                     torch::Tensor& values_gradient) {
  const torch::Tensor &u = saved[0], &values = saved[1], &outputs = saved[2], &logsum = saved[3];
  const int64_t tokens = values.size(2), width = values.size(3);
  at::parallel_for(0, values.size(0) * values.size(1), 1, [&](int64_t begin, int64_t end) {
    std::vector<Float> sum(width);
    for (int64_t h = begin; h < end; ++h) {
      std::fill(sum.begin(), sum.end(), Float{0});
      const int64_t at = h * tokens * width;
      ScanHeadBackward<Float>(u.data_ptr<double>() + h * tokens, logsum.data_ptr<double>() + h * tokens,
                              values.data_ptr<Float>() + at, outputs.data_ptr<Float>() + at,
                              gradient.data_ptr<Float>() + at, tokens, width, sum.data(),
                              u_gradient.data_ptr<Float>() + h * tokens, values_gradient.data_ptr<Float>() + at);
    }
  });
}

struct Scan : torch::autograd::Function<Scan> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& scores, const torch::Tensor& positions,
                               const torch::Tensor& decay, const torch::Tensor& values) {
    const torch::Tensor at = positions.to(torch::kFloat64);
    const torch::Tensor u = (scores.to(torch::kFloat64) + decay.to(torch::kFloat64).unsqueeze(1) * at).contiguous();
    const torch::Tensor inputs = values.contiguous();
    torch::Tensor outputs = torch::empty_like(inputs), logsum = torch::empty_like(u);
    inputs.scalar_type() == torch::kFloat64 ? ScanAll<double>(u, inputs, outputs, logsum)
                                            : ScanAll<float>(u, inputs, outputs, logsum);
    context->save_for_backward({u, inputs, outputs, logsum, at});
    return outputs;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const tensor_list saved = context->get_saved_variables();
    const torch::Tensor gradient = gradients[0].contiguous();
    torch::Tensor values_gradient = torch::empty_like(saved[1]);
    torch::Tensor u_gradient = torch::empty(saved[0].sizes(), saved[1].options());
    gradient.scalar_type() == torch::kFloat64 ? ScanAllBackward<double>(saved, gradient, u_gradient, values_gradient)
                                              : ScanAllBackward<float>(saved, gradient, u_gradient, values_gradient);
    const torch::Tensor centered = (saved[4] - saved[4].mean()).to(u_gradient.scalar_type());
    const torch::Tensor decay_gradient = (u_gradient * centered).sum(at::IntArrayRef{0, 2});
    return {u_gradient, torch::Tensor(), decay_gradient, values_gradient};
  }
};

}  // namespace

torch::Tensor ScanAttention(const torch::Tensor& scores, const torch::Tensor& positions, const torch::Tensor& decay,
                            const torch::Tensor& values) {
  return Scan::apply(scores, positions, decay, values);
}

}  // namespace aaren
