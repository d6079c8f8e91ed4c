#include "model/attention/scan/scan.h"

#include <torch/torch.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/attention/argument.h"
#include "model/attention/scan/cuda/plugin_library.h"
#include "model/attention/scan/cuda/scan_cuda.h"
#include "model/attention/scan/cuda/torch_cuda.h"
#include "model/attention/scan/scan_kernel.h"

namespace aaren::attention {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Reshapes [*, N, D] to [series, heads, N, D] with a dense last dimension, without a copy if the strides allow.
torch::Tensor AsSeriesAndHeads(const torch::Tensor& values) {
  // A tensor may be a view with a pending change of sign, which torch applies on access. Kernels read memory directly.
  torch::Tensor x = values.resolve_neg();
  while (x.dim() < 4) x = x.unsqueeze(0);
  if (x.dim() > 4) x = x.flatten(0, -4);
  return x.stride(-1) == 1 ? x : x.contiguous();
}

// An empty tensor of the shape of x, with the strides of x if no two numbers of x share a place.
torch::Tensor EmptyBeside(const torch::Tensor& x) {
  return x.is_non_overlapping_and_dense() ? torch::empty_like(x) : torch::empty(x.sizes(), x.options());
}

ScanShape ShapeOf(const torch::Tensor& x) { return {x.size(0), x.size(1), x.size(2), x.size(3)}; }

ScanStrides StridesOf(const torch::Tensor& x) { return {x.stride(0), x.stride(1), x.stride(2)}; }

template <typename Float>
Float* Data(const torch::Tensor& x) {
  return x.defined() ? x.data_ptr<Float>() : nullptr;
}

// Runs a kernel on the device of `values`. An error is thrown, as autograd's operations throw errors.
template <typename Call>
void Launch(const Call& call, const torch::Tensor& values) {
  if (values.device().is_cpu()) return ScanOnCpu(call);
  const absl::Status status = ScanOnCuda(call, values.device().index(), CurrentCudaStream(values.device()));
  TORCH_CHECK(status.ok(), std::string(status.message()));
}

template <typename Float>
void RunForward(const torch::Tensor& scores, const torch::Tensor& elapsed, const torch::Tensor& decay,
                const torch::Tensor& values, const torch::Tensor& outputs, const torch::Tensor& shares) {
  ScanForward<Float> call;
  call.shape = ShapeOf(values);
  call.scores = Data<Float>(scores);
  call.elapsed = Data<Float>(elapsed);
  call.decay = Data<Float>(decay);
  call.values = Data<Float>(values);
  call.value_strides = StridesOf(values);
  call.outputs = Data<Float>(outputs);
  call.output_strides = StridesOf(outputs);
  call.shares = Data<Float>(shares);
  Launch(call, values);
}

template <typename Float>
void RunBackward(const torch::Tensor& shares, const torch::Tensor& values, const torch::Tensor& outputs,
                 const torch::Tensor& gradients, const torch::Tensor& score_gradients,
                 const torch::Tensor& value_gradients) {
  ScanBackward<Float> call;
  call.shape = ShapeOf(values);
  call.shares = Data<Float>(shares);
  call.values = Data<Float>(values);
  call.value_strides = StridesOf(values);
  call.outputs = Data<Float>(outputs);
  call.output_strides = StridesOf(outputs);
  call.gradients = Data<Float>(gradients);
  call.gradient_strides = StridesOf(gradients);
  call.score_gradients = Data<Float>(score_gradients);
  call.value_gradients = Data<Float>(value_gradients);
  call.value_gradient_strides = StridesOf(value_gradients);
  Launch(call, values);
}

absl::Status RequireKernels(const c10::Device& device) {
  if (device.is_cpu()) return absl::OkStatus();
  if (device.is_cuda()) return UsableScanPlugin().status();
  return absl::FailedPreconditionError(absl::StrCat("values is on ", device.str(), "; cpu or cuda is needed"));
}

bool IsDouble(const torch::Tensor& x) { return x.scalar_type() == torch::kFloat64; }

// The gradient is an operation of its own, so that differentiating the gradient again is refused and not silently
// wrong.
struct ScanGradient : torch::autograd::Function<ScanGradient> {
  static tensor_list forward(AutogradContext*, const torch::Tensor& shares, const torch::Tensor& values,
                             const torch::Tensor& outputs, const torch::Tensor& gradient) {
    const torch::Tensor score_gradients = torch::empty_like(shares), value_gradients = EmptyBeside(values);
    const torch::Tensor gradients = AsSeriesAndHeads(gradient);
    (IsDouble(values) ? RunBackward<double> : RunBackward<float>)(shares, values, outputs, gradients, score_gradients,
                                                                  value_gradients);
    return {score_gradients, value_gradients};
  }

  static tensor_list backward(AutogradContext*, const tensor_list&) {
    TORCH_CHECK(false,
                "ScanAttention has a gradient but no second derivative: do not differentiate its gradient again "
                "(create_graph); DenseAttention can be differentiated twice");
  }
};

// Inputs have the form [series, heads, ...]. Times and rates are absent if nothing is forgotten.
struct Scan : torch::autograd::Function<Scan> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& scores, const torch::Tensor& values,
                               const std::optional<torch::Tensor>& times, const std::optional<torch::Tensor>& rates,
                               bool differentiable) {
    const torch::Tensor positions = times.value_or(torch::Tensor()), decay = rates.value_or(torch::Tensor());
    const torch::Tensor outputs = EmptyBeside(values);
    // Shares are read by the gradient alone; a scan without a gradient writes none.
    const torch::Tensor shares = differentiable ? torch::empty_like(scores) : torch::Tensor();
    torch::Tensor elapsed;
    // Differences are taken in float64: two positions late in a stream are large and close together.
    if (decay.defined()) elapsed = torch::diff(positions, 1, -1, positions.slice(0, 0, 1)).to(scores.scalar_type());
    (IsDouble(values) ? RunForward<double> : RunForward<float>)(scores, elapsed, decay, values, outputs, shares);
    context->save_for_backward({shares, values, outputs, positions});
    return outputs;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const tensor_list saved = context->get_saved_variables();
    const tensor_list found = ScanGradient::apply(saved[0], saved[1], saved[2], gradients[0]);
    torch::Tensor decay_gradient;
    if (saved[3].defined()) {
      // The ds sum to zero (scan.h), so any origin of the positions gives the same gradient. The mean keeps factors
      // small.
      const torch::Tensor centered = saved[3] - saved[3].mean();
      decay_gradient = (found[0] * centered).sum(at::IntArrayRef{0, 2}).to(found[0].scalar_type());
    }
    return {found[0], found[1], torch::Tensor(), decay_gradient, torch::Tensor()};
  }
};

}  // namespace

absl::StatusOr<torch::Tensor> ScanAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                            const Forgetting& forgetting) {
  if (absl::Status status = RequireScoresAndValues(scores, values); !status.ok()) return status;
  if (absl::Status status = RequireForgetting(forgetting, scores); !status.ok()) return status;
  if (absl::Status status = RequireKernels(values.device()); !status.ok()) return status;
  const torch::Tensor series = AsSeriesAndHeads(values);
  const torch::Tensor rows = scores.resolve_neg().contiguous().view({series.size(0), series.size(1), series.size(2)});
  std::optional<torch::Tensor> positions, decay;
  if (forgetting.any()) {
    positions = forgetting.positions.detach().to(values.device(), torch::kFloat64);
    decay = forgetting.decay.contiguous();
  }
  const bool differentiable = torch::GradMode::is_enabled() && (rows.requires_grad() || series.requires_grad() ||
                                                                (decay.has_value() && decay->requires_grad()));
  // An exception of LibTorch ends here, because other folders see statuses only.
  try {
    return Scan::apply(rows, series, positions, decay, differentiable).view(values.sizes());
  } catch (const c10::Error& error) {
    return absl::InternalError(error.what_without_backtrace());
  }
}

}  // namespace aaren::attention
