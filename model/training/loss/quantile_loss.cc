#include "model/training/loss/quantile_loss.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "model/training/loss/softplus.h"

namespace aaren::training {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr int64_t kRows = 64;  // rows computed at once, with one partial sum of the loss

// One row: the loss, and the gradient at the quantiles carried back to the read-out.
class Row {
 public:
  Row(const float* levels, int64_t count) : levels_(levels), count_(count), slopes_(count) {}

  double Evaluate(const float* readout, const float* gap, const float* gap_slope, float skip, float target,
                  float weight, float* readout_gradient, float* skip_gradient) {
    const int64_t middle = count_ / 2;
    const float median = readout[middle] + skip, share = 2 * weight / static_cast<float>(count_);
    double loss = Add(middle, median, target);
    float quantile = median;
    for (int64_t i = middle + 1; i < count_; ++i) loss += Add(i, quantile += gap[i], target);
    quantile = median;
    for (int64_t i = middle - 1; i >= 0; --i) loss += Add(i, quantile -= gap[i], target);
    // The gradient of a gap sums the slopes of the quantiles further out.
    float above = 0, below = 0;  // a gap moves all quantiles further out
    for (int64_t i = count_ - 1; i > middle; --i) readout_gradient[i] = share * gap_slope[i] * (above += slopes_[i]);
    for (int64_t i = 0; i < middle; ++i) readout_gradient[i] = -share * gap_slope[i] * (below += slopes_[i]);
    readout_gradient[middle] = *skip_gradient = share * (above + below + slopes_[middle]);
    return loss * share;
  }

 private:
  // The pinball loss of one quantile; keeps the slope.
  float Add(int64_t i, float quantile, float target) {
    const float error = target - quantile;
    slopes_[i] = error > 0 ? -levels_[i] : 1 - levels_[i];
    return -slopes_[i] * error;
  }

  const float* levels_;
  const int64_t count_;
  std::vector<float> slopes_;
};

struct Fused : torch::autograd::Function<Fused> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& readout, const torch::Tensor& skip,
                               const torch::Tensor& target, const torch::Tensor& weight, const torch::Tensor& levels) {
    const int64_t rows = target.numel(), count = levels.numel(), blocks = (rows + kRows - 1) / kRows;
    torch::Tensor readout_gradient = torch::empty_like(readout), skip_gradient = torch::empty_like(skip);
    const float *r = readout.const_data_ptr<float>(), *s = skip.const_data_ptr<float>(),
                *y = target.const_data_ptr<float>(), *w = weight.const_data_ptr<float>(),
                *a = levels.const_data_ptr<float>();
    float *dr = readout_gradient.mutable_data_ptr<float>(), *ds = skip_gradient.mutable_data_ptr<float>();
    // One partial sum for a block, whatever thread computes the block: the loss has the same bits for any number of
    // threads.
    std::vector<double> sums(blocks);
    at::parallel_for(0, blocks, 16, [&](int64_t begin, int64_t end) {
      std::vector<float> gaps(kRows * count), slopes(kRows * count);
      Row row(a, count);
      for (int64_t block = begin; block < end; ++block) {
        const int64_t first = block * kRows, last = std::min(first + kRows, rows);
        SoftplusAndSlope(r + first * count, (last - first) * count, gaps.data(), slopes.data());
        for (int64_t i = first; i < last; ++i) {
          const int64_t at = (i - first) * count;
          sums[block] += row.Evaluate(r + i * count, &gaps[at], &slopes[at], s[i], y[i], w[i], dr + i * count, ds + i);
        }
      }
    });
    context->save_for_backward({readout_gradient, skip_gradient});
    return torch::scalar_tensor(std::accumulate(sums.begin(), sums.end(), 0.0), torch::kFloat32);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const tensor_list saved = context->get_saved_variables();
    // The loss is mostly the root of the graph, with the gradient 1. Then no pass over the gradients is needed.
    if (gradients[0].item<float>() == 1) return {saved[0], saved[1], {}, {}, {}};
    return {saved[0] * gradients[0], saved[1] * gradients[0], {}, {}, {}};
  }
};

}  // namespace

torch::Tensor QuantileLoss(const torch::Tensor& readout, const torch::Tensor& skip, const torch::Tensor& target,
                           const torch::Tensor& weight, const torch::Tensor& levels) {
  return Fused::apply(readout.contiguous(), skip.contiguous(), target.contiguous(), weight.contiguous(),
                      levels.contiguous());
}

}  // namespace aaren::training
