#include "model/nn/events/timed_attention.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace aaren::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// The sizes of a call.
struct Extent {
  int64_t rows, tokens, heads, width;  // width of a head's values

  int64_t value_width() const { return heads * width; }
};

float AgeOf(int64_t head, const Extent& extent, float elapsed) { return head < extent.heads / 2 ? 1.0f : elapsed; }

// One head of one row. With L the logarithm of the sum of weights, a token has the share p = exp(score - L) of the
// output o, and o += p (value - o).
void Forward(const Extent& extent, int64_t head, const float* scores, const float* values, const float* elapsed,
             float decay, float* shares, float* out) {
  double sum = -std::numeric_limits<double>::infinity();
  std::vector<float> state(extent.width);
  for (int64_t n = 0; n < extent.tokens; ++n) {
    const int64_t at = n * extent.value_width() + head * extent.width;
    float& share = shares[n * extent.heads + head];
    if (elapsed[n] < 0) {
      share = 0;
      std::fill_n(out + at, extent.width, 0.0f);
      continue;
    }
    const double score = scores[n * extent.heads + head];
    const double aged = sum - double{decay} * AgeOf(head, extent, elapsed[n]), peak = std::max(aged, score);
    sum = peak + std::log(std::exp(aged - peak) + std::exp(score - peak));
    share = static_cast<float>(std::exp(score - sum));
    for (int64_t j = 0; j < extent.width; ++j) {
      state[j] += share * (values[at + j] - state[j]);
      out[at + j] = state[j];
    }
  }
}

// The last place with a token before place `n`; -1 if there is none.
int64_t TokenBefore(const float* elapsed, int64_t n) {
  for (--n; n >= 0 && elapsed[n] < 0;) --n;
  return n;
}

// The gradients of one head of one row, from the last token to the first.
struct Backward {
  Backward(const Extent& extent, int64_t head)
      : extent(extent), head(head), by_state(extent.width), parts(extent.width), none(extent.width) {}

  // `before` is the output of the token before.
  void Step(int64_t n, const float* gradient, const float* values, const float* before, float share, float age,
            float& by_score, float* by_values) {
    const int64_t at = n * extent.value_width() + head * extent.width;
    const float *g = gradient + at, *v = values + at, rest = 1 - share;
    float *state = by_state.data(), *part = parts.data(), *to = by_values + at;
    for (int64_t j = 0; j < extent.width; ++j) state[j] += g[j];
    for (int64_t j = 0; j < extent.width; ++j) part[j] = state[j] * (v[j] - before[j]);
    for (int64_t j = 0; j < extent.width; ++j) to[j] = share * state[j];
    for (int64_t j = 0; j < extent.width; ++j) state[j] *= rest;
    const double slope = std::accumulate(parts.begin(), parts.end(), 0.0f) * share * (1 - double{share});
    by_score = static_cast<float>(by_sum * share + slope);
    by_sum = by_sum * (1 - double{share}) - slope;
    by_decay -= age * by_sum;
  }

  const Extent& extent;
  const int64_t head;
  std::vector<float> by_state, parts, none;  // none: the output before the first token
  double by_sum = 0, by_decay = 0;
};

struct Timed : torch::autograd::Function<Timed> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& scores, const torch::Tensor& values,
                               const torch::Tensor& elapsed, const torch::Tensor& decay) {
    const Extent extent = {scores.size(0), scores.size(1), scores.size(2), values.size(2) / scores.size(2)};
    torch::Tensor shares = torch::empty_like(scores), out = torch::empty_like(values);
    const int64_t score_row = extent.tokens * extent.heads, value_row = extent.tokens * extent.value_width();
    for (int64_t b = 0; b < extent.rows; ++b) {
      for (int64_t h = 0; h < extent.heads; ++h) {
        Forward(extent, h, scores.const_data_ptr<float>() + b * score_row,
                values.const_data_ptr<float>() + b * value_row, elapsed.const_data_ptr<float>() + b * extent.tokens,
                decay.const_data_ptr<float>()[h], shares.mutable_data_ptr<float>() + b * score_row,
                out.mutable_data_ptr<float>() + b * value_row);
      }
    }
    context->save_for_backward({values, elapsed, shares, out});
    return out;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const tensor_list saved = context->get_saved_variables();
    const torch::Tensor gradient = gradients[0].contiguous();
    const torch::Tensor &values = saved[0], &elapsed = saved[1], &shares = saved[2], &out = saved[3];
    const Extent extent = {shares.size(0), shares.size(1), shares.size(2), values.size(2) / shares.size(2)};
    torch::Tensor by_scores = torch::zeros_like(shares), by_values = torch::zeros_like(values);
    torch::Tensor by_decay = torch::zeros({extent.heads});
    for (int64_t b = 0; b < extent.rows; ++b) {
      const int64_t score_row = b * extent.tokens * extent.heads, value_row = b * extent.tokens * extent.value_width();
      const float* ages = elapsed.const_data_ptr<float>() + b * extent.tokens;
      const float *share = shares.const_data_ptr<float>() + score_row, *o = out.const_data_ptr<float>() + value_row;
      for (int64_t h = 0; h < extent.heads; ++h) {
        Backward back(extent, h);
        for (int64_t n = TokenBefore(ages, extent.tokens), earlier; n >= 0; n = earlier) {
          earlier = TokenBefore(ages, n);
          const float* before = earlier < 0 ? back.none.data() : o + earlier * extent.value_width() + h * extent.width;
          back.Step(n, gradient.const_data_ptr<float>() + value_row, values.const_data_ptr<float>() + value_row, before,
                    share[n * extent.heads + h], AgeOf(h, extent, ages[n]),
                    by_scores.mutable_data_ptr<float>()[score_row + n * extent.heads + h],
                    by_values.mutable_data_ptr<float>() + value_row);
        }
        by_decay.mutable_data_ptr<float>()[h] += static_cast<float>(back.by_decay);
      }
    }
    return {by_scores, by_values, torch::Tensor(), by_decay};
  }
};

}  // namespace

at::Tensor TimedAttention(const at::Tensor& scores, const at::Tensor& values, const at::Tensor& elapsed,
                          const at::Tensor& decay) {
  return Timed::apply(scores.contiguous(), values.contiguous(), elapsed.contiguous(), decay.contiguous());
}

}  // namespace aaren::nn
