#include "model/engine/events/mixture_points.h"

#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/events/mixture_points.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/doubles-inl.h"
#include "model/math/exact_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::events {
namespace HWY_NAMESPACE {

namespace exact = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, math::kLanes>;
using V = hn::Vec<D>;

constexpr float kMiss = 2e-6f;  // tolerated error of a quantile's probability
constexpr int kRounds = 30;     // halving alone brings the widest bracket below 1e-6 by then

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
  const V density = hn::Mul(hn::Set(d, kInverseRoot), exact::ExpOfNegative(d, exponent));
  const V beyond = hn::Mul(density, hn::Mul(series, t));
  const V middle = hn::Sub(hn::Set(d, 0.5f), beyond);
  sums.below = hn::MulAdd(weight, hn::Add(hn::Set(d, 0.5f), hn::CopySign(middle, x)), sums.below);
  sums.density = hn::MulAdd(hn::Mul(weight, inverse), density, sums.density);
}

// In the logarithm, a Weibull interval lasts beyond z with probability exp(-exp(x)).
HWY_INLINE void AddWeibull(D d, V x, V weight, V inverse, Sums& sums) {
  constexpr float kMostExponent = 80;  // the exponential of more could be infinite
  const V hazard = exact::Exp(d, hn::Min(x, hn::Set(d, kMostExponent)));
  const V left = exact::ExpOfNegative(d, hn::Neg(hazard));
  sums.below = hn::MulAdd(weight, hn::Sub(hn::Set(d, 1.0f), left), sums.below);
  sums.density = hn::MulAdd(hn::Mul(weight, inverse), hn::Mul(hazard, left), sums.density);
}

HWY_INLINE Sums SumsAt(D d, const Components& components, V z) {
  Sums sums = {hn::Zero(d), hn::Zero(d)};
  for (size_t k = 0; k < components.count; ++k) {
    const V weight = hn::Set(d, components.weight[k]), inverse = hn::Set(d, components.inverse[k]);
    const V x = hn::Mul(hn::Sub(z, hn::Set(d, components.at[k])), inverse);
    k < components.normals ? AddNormal(d, x, weight, inverse, sums) : AddWeibull(d, x, weight, inverse, sums);
  }
  return sums;
}

void BelowAll(const Components& components, size_t count, const Points& z, Points& below) {
  const D d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(SumsAt(d, components, hn::Load(d, z.at + i)).below, d, below.at + i);
  }
}

// An even grid over the middle of the mixture, and the probabilities below its places.
struct Grid {
  Points place, below;
  float step;

  explicit Grid(const Components& components) : step((components.high - components.low) / (kPoints - 1)) {
    for (size_t i = 0; i < kPoints; ++i) place.at[i] = components.low + step * static_cast<float>(i);
    BelowAll(components, kPoints, place, below);
  }
};

// Newton's steps for a vector of probabilities, each inside a bracket that shrinks.
class Search {
 public:
  // Brackets each probability between two neighbours of the grid.
  HWY_INLINE Search(const Grid& grid, V wanted) : wanted_(wanted), miss_(hn::Set(D(), 1.0f)) {
    const D d;
    low_ = hn::Set(d, -kFurthest);
    high_ = hn::Set(d, grid.place.at[1]);
    V left = hn::Set(d, grid.place.at[0]), before = hn::Set(d, grid.below.at[0]), after = hn::Set(d, grid.below.at[1]);
    auto on = hn::Eq(wanted, wanted);
    for (size_t i = 1; i + 1 < kPoints; ++i) {
      const V below = hn::Set(d, grid.below.at[i]), place = hn::Set(d, grid.place.at[i]);
      // A lane that has stopped stays: rounding may turn the order of two probabilities around.
      on = hn::And(on, hn::Lt(below, wanted));
      if (hn::AllFalse(d, on)) break;
      const float next = i + 2 == kPoints ? kFurthest : grid.place.at[i + 1];
      left = hn::IfThenElse(on, place, left);
      before = hn::IfThenElse(on, below, before);
      after = hn::IfThenElse(on, hn::Set(d, grid.below.at[i + 1]), after);
      low_ = hn::IfThenElse(on, place, low_);
      high_ = hn::IfThenElse(on, hn::Set(d, next), high_);
    }
    const V zero = hn::Zero(d), rise = hn::Sub(after, before);
    const V line = math::HWY_NAMESPACE::Clamp(d, hn::Div(hn::Sub(wanted, before), rise), 0.0f, 1.0f);
    const V share = hn::IfThenElse(hn::Gt(rise, zero), line, hn::Set(d, 0.5f));
    z_ = hn::Add(left, hn::Mul(hn::Set(d, grid.step), share));
  }

  // True once every probability is met.
  HWY_INLINE bool Advance(const Components& components) {
    const D d;
    const Sums sums = SumsAt(d, components, z_);
    const V miss = hn::Sub(sums.below, wanted_), size = hn::Abs(miss);
    const auto met = hn::Lt(size, hn::Set(d, kMiss));
    if (hn::AllTrue(d, met)) return true;
    const auto under = hn::Lt(miss, hn::Zero(d));
    low_ = hn::IfThenElse(under, z_, low_);
    high_ = hn::IfThenElse(under, high_, z_);
    const V newton = hn::Sub(z_, hn::Div(miss, hn::Max(sums.density, hn::Set(d, 1e-9f))));
    // Where the density vanishes, the step leaves the bracket; beside a narrow component Newton's steps go to and fro.
    // Then the bracket is halved.
    const auto inside = hn::And(hn::Gt(newton, low_), hn::Lt(newton, high_));
    const auto helps = hn::And(inside, hn::Lt(size, hn::Mul(hn::Set(d, 0.5f), miss_)));
    const V middle = hn::Mul(hn::Add(low_, high_), hn::Set(d, 0.5f));
    z_ = hn::IfThenElse(met, z_, hn::IfThenElse(helps, newton, middle));
    miss_ = size;
    return false;
  }

  HWY_INLINE V found() const { return z_; }

 private:
  V wanted_, low_, high_, z_, miss_;
};

void FindAll(const Components& components, size_t count, const Points& wanted, Points& found) {
  const D d;
  const Grid grid(components);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    Search search(grid, hn::Load(d, wanted.at + i));
    for (int round = 0; round < kRounds && !search.Advance(components); ++round) {
    }
    hn::Store(search.found(), d, found.at + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::events
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::events {

HWY_EXPORT(BelowAll);
HWY_EXPORT(FindAll);

void ProbabilitiesBelow(const Components& components, size_t count, const Points& z, Points& below) {
  HWY_DYNAMIC_DISPATCH(BelowAll)(components, count, z, below);
}

void FindPlaces(const Components& components, size_t count, const Points& wanted, Points& found) {
  HWY_DYNAMIC_DISPATCH(FindAll)(components, count, wanted, found);
}

}  // namespace aaren::events
#endif
