#include "model/engine/network/fold.h"

#include <algorithm>
#include <cmath>

#include "model/math/lanes.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/network/fold.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/doubles-inl.h"
#include "model/math/exact_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::engine {
namespace HWY_NAMESPACE {

namespace doubles = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

// Exp is zero from this exponent down. Clamping to a finite number keeps the empty state's -inf, and any exponent that
// no float can hold, out of the floats.
constexpr double kLeastExponent = -200.0;

// Compares like std::max: returns `first` where both are equal.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Larger(D, V first, V second) {
  return hn::IfThenElse(hn::Lt(first, second), second, first);
}

// Writes m' and the exponents of alpha and beta.
HWY_INLINE void WriteExponents(const Ageing& ageing, const FoldToken& token, const double* peaks,
                               const FoldWork& work) {
  const double age = static_cast<double>(token.age);
  doubles::ForDoubles(ageing.heads, [&](auto d, size_t h) HWY_ATTR {
    const auto score = doubles::LoadFloats(d, token.scores + h);
    // Product and difference are rounded apart (rule 4.9). A fused operation would have other bits.
    const auto decayed = hn::Mul(hn::LoadU(d, ageing.decay.data() + h), hn::Set(d, age));
    const auto aged = hn::Sub(hn::LoadU(d, peaks + h), decayed);
    const auto peak = Larger(d, aged, score);
    const auto least = hn::Set(d, kLeastExponent);
    hn::StoreU(peak, d, work.peaks + h);
    doubles::StoreFloats(d, Larger(d, hn::Sub(aged, peak), least), work.exponents + h);
    doubles::StoreFloats(d, Larger(d, hn::Sub(score, peak), least), work.exponents + ageing.heads + h);
  });
}

// Writes c' and the share p of each head.
HWY_INLINE void WriteShares(size_t heads, const double* weights, const FoldWork& work) {
  doubles::ForDoubles(heads, [&](auto d, size_t h) HWY_ATTR {
    const auto alpha = doubles::LoadFloats(d, work.exponents + h);
    const auto beta = doubles::LoadFloats(d, work.exponents + heads + h);
    // Rule 4.12: the product is rounded before the sum.
    const auto weight = hn::Add(hn::Mul(alpha, hn::LoadU(d, weights + h)), beta);
    hn::StoreU(weight, d, work.weights + h);
    hn::StoreU(hn::Div(beta, weight), d, work.shares + h);
  });
}

// Computes alpha, beta and m', then c' and p.
void Weigh(const Ageing& ageing, const FoldToken& token, const LayerState& state, const FoldWork& work) {
  const hn::CappedTag<float, math::kLanes> d;
  WriteExponents(ageing, token, state.peak, work);
  for (size_t i = 0; i < 2 * ageing.heads; i += hn::Lanes(d)) {
    hn::Store(doubles::ExpOfNegative(d, hn::Load(d, work.exponents + i)), d, work.exponents + i);
  }
  WriteShares(ageing.heads, state.weight, work);
  // With a share for each value, the loop over the values needs no borders of heads.
  double* share = work.share;
  for (size_t h = 0; h < ageing.heads; ++h, share += ageing.head_width) {
    doubles::ForDoubles(ageing.head_width,
                        [&](auto dd, size_t i) HWY_ATTR { hn::StoreU(hn::Set(dd, work.shares[h]), dd, share + i); });
  }
}

// o' = R o + p (v - R o), where R rotates each pair. A rotated number is cosine times the number plus sine times its
// neighbour; the sine is negative for the second of a pair. `after` may be `before`. Unless kKept, `after` is unused.
template <bool kKept>
HWY_INLINE void TurnAndFoldAll(const Turn& turn, const double* share, const float* values, const double* before,
                               size_t width, double* after, float* out) {
  const doubles::Doubles d;
  for (size_t i = 0; i < width; i += hn::Lanes(d)) {
    const auto state = hn::LoadU(d, before + i);
    // Rule 4.15, in vectors: GCC 12 would fuse the two formulas of a scalar pair (model/REASONS.md, step 11).
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

HWY_EXPORT(Weigh);
HWY_EXPORT(TurnAndFold);
HWY_EXPORT(TurnAndPeek);

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
    // Float cosines and sines are off length one by their rounding, and a session turns a million times (rule 4.14).
    const double length = std::sqrt(c * c + s * s);
    cosine[at] = c / length;
    sine[at] = s / length;
    cosines[2 * at] = cosines[2 * at + 1] = cosine[at];
    sines[2 * at] = sine[at];
    sines[2 * at + 1] = -sine[at];
  }
}

FoldScratch::FoldScratch(size_t heads, size_t width)
    : exponents_(hwy::AllocateAligned<float>(math::PadToLanes(2 * heads))),
      weight_(heads),
      peak_(heads),
      head_share_(heads),
      share_(width) {
  // The exponential reads whole vectors, and the padding must be numbers.
  std::fill_n(exponents_.get(), math::PadToLanes(2 * heads), 0.0f);
}

FoldWork FoldScratch::work() {
  return {exponents_.get(), weight_.data(), peak_.data(), head_share_.data(), share_.data()};
}

Turn LayerFold::TurnOf(const FoldToken& token) const {
  const size_t at = (token.age - 1) * ageing_.width;
  return {ageing_.cosines.data() + at, ageing_.sines.data() + at};
}

void LayerFold::Fold(const FoldToken& token, const LayerState& state, float* out) {
  const FoldWork work = scratch_.work();
  HWY_DYNAMIC_DISPATCH(Weigh)(ageing_, token, state, work);
  HWY_DYNAMIC_DISPATCH(TurnAndFold)(TurnOf(token), work.share, token.values, state.output, ageing_.width, out);
  std::copy_n(work.weights, ageing_.heads, state.weight);
  std::copy_n(work.peaks, ageing_.heads, state.peak);
}

void LayerFold::Peek(const FoldToken& token, const LayerState& state, float* out) {
  const FoldWork work = scratch_.work();
  HWY_DYNAMIC_DISPATCH(Weigh)(ageing_, token, state, work);
  HWY_DYNAMIC_DISPATCH(TurnAndPeek)(TurnOf(token), work.share, token.values, state.output, ageing_.width, out);
}

}  // namespace aaren::engine
#endif
