#include "model/engine/events/mixture_points.h"

#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/events/mixture_points.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/exact_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::events {
namespace HWY_NAMESPACE {

namespace exact = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, math::kLanes>;
using V = hn::Vec<D>;

struct Sums {
  V below, density;
};

// Abramowitz and Stegun, 26.2.17, for the normal distribution: the error is below 7.5e-8.
HWY_INLINE void AddNormal(D d, V x, V weight, V inverse, Sums& sums) {
  const V t = hn::Div(hn::Set(d, 1.0f), hn::MulAdd(hn::Set(d, 0.2316419f), hn::Abs(x), hn::Set(d, 1.0f)));
  V series = hn::Set(d, 1.330274429f);
  for (const float factor : {-1.821255978f, 1.781477937f, -0.356563782f, 0.319381530f}) {
    series = hn::MulAdd(series, t, hn::Set(d, factor));
  }
  constexpr float kInverseRoot = 0.3989423f;  // 1 / sqrt(2 pi)
  const V exponent = hn::Mul(hn::Mul(x, x), hn::Set(d, -0.5f));
  const V density = hn::Mul(hn::Set(d, kInverseRoot), exact::Exp(d, exponent));
  const V beyond = hn::Mul(density, hn::Mul(series, t));
  const V middle = hn::Sub(hn::Set(d, 0.5f), beyond);
  sums.below = hn::MulAdd(weight, hn::Add(hn::Set(d, 0.5f), hn::CopySign(middle, x)), sums.below);
  sums.density = hn::MulAdd(hn::Mul(weight, inverse), density, sums.density);
}

// In the logarithm, a Weibull interval lasts beyond z with probability exp(-exp(x)).
HWY_INLINE void AddWeibull(D d, V x, V weight, V inverse, Sums& sums) {
  constexpr float kMostExponent = 80;  // the exponential of more could be infinite
  const V hazard = exact::Exp(d, hn::Min(x, hn::Set(d, kMostExponent)));
  const V left = exact::Exp(d, hn::Neg(hazard));
  sums.below = hn::MulAdd(weight, hn::Sub(hn::Set(d, 1.0f), left), sums.below);
  sums.density = hn::MulAdd(hn::Mul(weight, inverse), hn::Mul(hazard, left), sums.density);
}

void MixtureAtAll(const Components& components, const Points& z, Points& below, Points& density) {
  const D d;
  for (size_t i = 0; i < kPoints; i += hn::Lanes(d)) {
    Sums sums = {hn::Zero(d), hn::Zero(d)};
    for (size_t k = 0; k < components.count; ++k) {
      const V weight = hn::Set(d, components.weight[k]), inverse = hn::Set(d, components.inverse[k]);
      const V x = hn::Mul(hn::Sub(hn::Load(d, z.at + i), hn::Set(d, components.at[k])), inverse);
      k < components.normals ? AddNormal(d, x, weight, inverse, sums) : AddWeibull(d, x, weight, inverse, sums);
    }
    hn::Store(sums.below, d, below.at + i);
    hn::Store(sums.density, d, density.at + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::events
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::events {

HWY_EXPORT(MixtureAtAll);

void MixtureAt(const Components& components, const Points& z, Points& below, Points& density) {
  HWY_DYNAMIC_DISPATCH(MixtureAtAll)(components, z, below, density);
}

}  // namespace aaren::events
#endif
