#include "model/engine/network/fold.h"

#include <algorithm>
#include <cmath>

#include "model/engine/network/activation.h"
#include "model/math/lanes.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/network/fold.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aaren::engine {
namespace HWY_NAMESPACE {

// o' = R o + p (v - R o), with R the rotation of each pair. A plain loop: doubles without reassociation have one
// result, however the compiler vectorises it. It does so only where nothing written can be what is read.
void TurnAndFold(const double* __restrict cosine, const double* __restrict sine, const double* __restrict share,
                 const float* __restrict values, const double* __restrict before, size_t width,
                 double* __restrict after, float* __restrict out) {
  for (size_t i = 0; i < width; i += 2) {
    const double x = cosine[i / 2] * before[i] + sine[i / 2] * before[i + 1];
    const double y = cosine[i / 2] * before[i + 1] - sine[i / 2] * before[i];
    after[i] = x + share[i] * (static_cast<double>(values[i]) - x);
    after[i + 1] = y + share[i + 1] * (static_cast<double>(values[i + 1]) - y);
    out[i] = static_cast<float>(after[i]);
    out[i + 1] = static_cast<float>(after[i + 1]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::engine {

HWY_EXPORT(TurnAndFold);

namespace {

// Exp is zero from here on; the empty state's -inf and any other exponent that a float cannot hold come to the same.
constexpr double kLeastExponent = -200.0;

float Exponent(double difference) { return static_cast<float>(std::max(difference, kLeastExponent)); }

}  // namespace

Ageing::Ageing(const package::ForecasterConfig& config, const package::Tensor& decay_tensor,
               const package::Tensor& cosine_tensor, const package::Tensor& sine_tensor)
    : heads(static_cast<size_t>(config.heads)),
      head_width(static_cast<size_t>(config.head_width())),
      width(math::PadToLanes(static_cast<size_t>(config.value_width))),
      decay(decay_tensor.data.begin(), decay_tensor.data.end()),
      cosine(static_cast<size_t>(config.fold_every) * width / 2),
      sine(cosine.size()) {
  const size_t pairs = static_cast<size_t>(config.value_width) / 2;
  for (size_t i = 0; i < cosine_tensor.data.size(); ++i) {
    const size_t at = i / pairs * (width / 2) + i % pairs;
    const double c = cosine_tensor.data[i];
    const double s = sine_tensor.data[i];
    const double length = std::sqrt(c * c + s * s);
    cosine[at] = c / length;
    sine[at] = s / length;
  }
}

FoldScratch::FoldScratch(size_t heads, size_t width)
    : exponents_(hwy::AllocateAligned<float>(2 * math::PadToLanes(heads))),
      weight_(heads),
      peak_(heads),
      share_(width),
      output_(width) {
  std::fill_n(exponents_.get(), 2 * math::PadToLanes(heads), 0.0f);
}

// alpha, beta and m', then c' and p.
void LayerFold::Weigh(const FoldToken& token, const LayerState& state) {
  const size_t padded = math::PadToLanes(ageing_.heads);
  float* alpha = scratch_.exponents_.get();
  float* beta = alpha + padded;
  for (size_t h = 0; h < ageing_.heads; ++h) {
    const double score = token.scores[h];
    const double aged = state.peak[h] - ageing_.decay[h] * static_cast<double>(token.age);
    const double peak = std::max(aged, score);
    scratch_.peak_[h] = peak;
    alpha[h] = Exponent(aged - peak);
    beta[h] = Exponent(score - peak);
  }
  Exp(alpha, 2 * padded, alpha);
  for (size_t h = 0; h < ageing_.heads; ++h) {
    const double weight = static_cast<double>(alpha[h]) * state.weight[h] + static_cast<double>(beta[h]);
    scratch_.weight_[h] = weight;
    std::fill_n(scratch_.share_.begin() + static_cast<ptrdiff_t>(h * ageing_.head_width), ageing_.head_width,
                static_cast<double>(beta[h]) / weight);
  }
}

void LayerFold::Turn(const FoldToken& token, const LayerState& state, float* out) {
  const size_t turn = (token.age - 1) * ageing_.width / 2;
  HWY_DYNAMIC_DISPATCH(TurnAndFold)
  (ageing_.cosine.data() + turn, ageing_.sine.data() + turn, scratch_.share_.data(), token.values, state.output,
   ageing_.width, scratch_.output_.data(), out);
}

void LayerFold::Fold(const FoldToken& token, const LayerState& state, float* out) {
  Peek(token, state, out);
  std::copy(scratch_.output_.begin(), scratch_.output_.end(), state.output);
  std::copy(scratch_.weight_.begin(), scratch_.weight_.end(), state.weight);
  std::copy(scratch_.peak_.begin(), scratch_.peak_.end(), state.peak);
}

void LayerFold::Peek(const FoldToken& token, const LayerState& state, float* out) {
  Weigh(token, state);
  Turn(token, state, out);
}

}  // namespace aaren::engine
#endif
