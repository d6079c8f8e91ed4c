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

#include "model/math/doubles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::engine {
namespace HWY_NAMESPACE {

namespace doubles = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

// o' = R o + p (v - R o), with R the rotation of each pair: each number times its cosine, and its neighbour times its
// sine, which is negative for the second of a pair. `after` may be `before`, or null if nobody wants it.
template <bool kKept>
HWY_INLINE void TurnAndFoldAll(const Turn& turn, const double* share, const float* values, const double* before,
                               size_t width, double* after, float* out) {
  const doubles::Doubles d;
  for (size_t i = 0; i < width; i += hn::Lanes(d)) {
    const auto state = hn::LoadU(d, before + i);
    const auto turned = hn::Add(hn::Mul(hn::LoadU(d, turn.cosine + i), state),
                                hn::Mul(hn::LoadU(d, turn.sine + i), hn::Reverse2(d, state)));
    const auto away = hn::Sub(doubles::LoadFloats(d, values + i), turned);
    const auto folded = hn::Add(turned, hn::Mul(hn::LoadU(d, share + i), away));
    if constexpr (kKept) hn::StoreU(folded, d, after + i);
    doubles::StoreFloats(d, folded, out + i);
  }
}

void TurnAndFold(const Turn& turn, const double* share, const float* values, double* state, size_t width, float* out) {
  TurnAndFoldAll<true>(turn, share, values, state, width, state, out);
}

void TurnAndPeek(const Turn& turn, const double* share, const float* values, const double* state, size_t width,
                 float* out) {
  TurnAndFoldAll<false>(turn, share, values, state, width, nullptr, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::engine {

HWY_EXPORT(TurnAndFold);
HWY_EXPORT(TurnAndPeek);

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
      sine(cosine.size()),
      cosines(2 * cosine.size()),
      sines(2 * cosine.size()) {
  const size_t pairs = static_cast<size_t>(config.value_width) / 2;
  for (size_t i = 0; i < cosine_tensor.data.size(); ++i) {
    const size_t at = i / pairs * (width / 2) + i % pairs;
    const double c = cosine_tensor.data[i];
    const double s = sine_tensor.data[i];
    const double length = std::sqrt(c * c + s * s);
    cosine[at] = c / length;
    sine[at] = s / length;
    cosines[2 * at] = cosines[2 * at + 1] = cosine[at];
    sines[2 * at] = sine[at];
    sines[2 * at + 1] = -sine[at];
  }
}

FoldScratch::FoldScratch(size_t heads, size_t width)
    : exponents_(hwy::AllocateAligned<float>(2 * math::PadToLanes(heads))),
      weight_(heads),
      peak_(heads),
      share_(width) {
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

Turn LayerFold::TurnOf(const FoldToken& token) const {
  const size_t at = (token.age - 1) * ageing_.width;
  return {ageing_.cosines.data() + at, ageing_.sines.data() + at};
}

void LayerFold::Fold(const FoldToken& token, const LayerState& state, float* out) {
  Weigh(token, state);
  HWY_DYNAMIC_DISPATCH(TurnAndFold)
  (TurnOf(token), scratch_.share_.data(), token.values, state.output, ageing_.width, out);
  std::copy(scratch_.weight_.begin(), scratch_.weight_.end(), state.weight);
  std::copy(scratch_.peak_.begin(), scratch_.peak_.end(), state.peak);
}

void LayerFold::Peek(const FoldToken& token, const LayerState& state, float* out) {
  Weigh(token, state);
  HWY_DYNAMIC_DISPATCH(TurnAndPeek)
  (TurnOf(token), scratch_.share_.data(), token.values, state.output, ageing_.width, out);
}

}  // namespace aaren::engine
#endif
