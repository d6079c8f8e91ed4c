#include "tests/model/attention/prefix_softmax.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace aaren::attention {
namespace {

constexpr double kMasked = -std::numeric_limits<double>::infinity();

// Computes one output: the softmax of scores[0 .. last], each lowered by the amount forgotten until `last`.
void AttendPrefix(const double* scores, const double* times, double rate, const double* values, int64_t last,
                  int64_t width, double* output, double* magnitude) {
  std::vector<double> lowered(last + 1);
  for (int64_t i = 0; i <= last; ++i) lowered[i] = scores[i] - rate * (times[last] - times[i]);
  const double maximum = *std::max_element(lowered.begin(), lowered.end());
  if (maximum == kMasked) return;
  double sum = 0;
  for (int64_t i = 0; i <= last; ++i) {
    if (lowered[i] == kMasked) continue;
    const double weight = std::exp(lowered[i] - maximum);
    sum += weight;
    if (weight == 0) continue;
    for (int64_t d = 0; d < width; ++d) {
      output[d] += weight * values[i * width + d];
      magnitude[d] += weight * std::abs(values[i * width + d]);
    }
  }
  for (int64_t d = 0; d < width; ++d) {
    output[d] /= sum;
    magnitude[d] /= sum;
  }
}

torch::Tensor AsDouble(const torch::Tensor& x) { return x.detach().to(torch::kFloat64).contiguous(); }

}  // namespace

PrefixSoftmax ReferenceAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                 const Forgetting& forgetting) {
  const int64_t tokens = scores.size(-1), width = values.size(-1), rows = scores.numel() / tokens;
  const torch::Tensor s = AsDouble(scores), v = AsDouble(values);
  const torch::Tensor times =
      forgetting.any() ? AsDouble(forgetting.positions) : torch::zeros({tokens}, torch::kFloat64);
  const torch::Tensor rates = forgetting.any() ? AsDouble(forgetting.decay) : torch::zeros({1}, torch::kFloat64);
  PrefixSoftmax found{torch::zeros_like(v), torch::zeros_like(v)};
  for (int64_t row = 0; row < rows; ++row) {
    const double rate = rates.const_data_ptr<double>()[row % rates.numel()];
    for (int64_t k = 0; k < tokens; ++k) {
      const int64_t at = (row * tokens + k) * width;
      AttendPrefix(s.const_data_ptr<double>() + row * tokens, times.const_data_ptr<double>(), rate,
                   v.const_data_ptr<double>() + row * tokens * width, k, width, found.outputs.data_ptr<double>() + at,
                   found.magnitudes.data_ptr<double>() + at);
    }
  }
  return found;
}

testing::AssertionResult Matches(const absl::StatusOr<torch::Tensor>& outputs, const PrefixSoftmax& expected,
                                 double tolerance) {
  if (!outputs.ok()) return testing::AssertionFailure() << outputs.status().ToString();
  if (outputs->sizes() != expected.outputs.sizes()) {
    return testing::AssertionFailure() << "shape " << outputs->sizes() << ", expected " << expected.outputs.sizes();
  }
  const torch::Tensor error = (AsDouble(*outputs) - expected.outputs).abs();
  if ((error <= tolerance * expected.magnitudes).all().item<bool>()) return testing::AssertionSuccess();
  const torch::Tensor relative = error / expected.magnitudes.clamp_min(1e-300);
  return testing::AssertionFailure() << "off by up to " << relative.max().item<double>() << " of sum p|v|, more than "
                                     << tolerance << (outputs->isnan().any().item<bool>() ? "; there are NaNs" : "");
}

double Distance(const torch::Tensor& x, const torch::Tensor& y) { return (x - y).abs().max().item<double>(); }

}  // namespace aaren::attention
