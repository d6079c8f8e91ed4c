#include "model/engine/forecasting/refinement/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/forecasting/refinement/quantiles.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/doubles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::engine {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using math::HWY_NAMESPACE::Clamp;
using math::HWY_NAMESPACE::ForDoubles;
using math::HWY_NAMESPACE::LoadFloats;
using math::HWY_NAMESPACE::StoreFloats;

constexpr float kMostFloat = std::numeric_limits<float>::max();

// Of theta, in spreads. A quantile is corrected by what theta exceeds kSlack by: theta wanders by chance while nothing
// is wrong, and such a forecast is better left alone. The slack costs no coverage: theta goes on until it is right.
constexpr float kSlack = 0.1f;

constexpr size_t kUsualLevels = 9;  // loops over as many are unrolled
constexpr size_t kStretch = 64;     // steps at a time

// As math::ToForecast.
template <class D, class Floats = hn::Rebind<float, D>>
HWY_INLINE hn::Vec<Floats> ToForecast(D d, hn::Vec<D> number) {
  const Floats df;
  const auto value = hn::DemoteTo(df, Clamp(d, number, -double{kMostFloat}, double{kMostFloat}));
  return hn::IfThenZeroElse(hn::Lt(hn::Abs(value), hn::Set(df, math::kLeastValue)), value);
}

template <class D>
HWY_INLINE void StoreForecast(D d, hn::Vec<D> number, float* to) {
  hn::StoreU(ToForecast(d, number), hn::Rebind<float, D>(), to);
}

// On the normalised scale. `forecast` may be where the softplus is.
HWY_INLINE void Spread(const Readout& readout, size_t steps, size_t levels, float* forecast) {
  const size_t middle = levels / 2;
  const float* raw = readout.raw;
  const float* softplus = readout.softplus;
  for (size_t j = 0; j < steps; ++j, raw += levels, softplus += levels, forecast += levels) {
    const float median = raw[middle] + readout.skip[j];
    forecast[middle] = median;
    float quantile = median;
    for (size_t i = middle + 1; i < levels; ++i) forecast[i] = quantile = quantile + softplus[i];
    quantile = median;
    for (size_t i = middle; i > 0; --i) forecast[i - 1] = quantile = quantile - softplus[i - 1];
  }
}

void WriteAll(const Readout& readout, const math::Scaling& scaling, const ForecastSize& size, float* forecast) {
  if (size.levels == kUsualLevels) {
    Spread(readout, size.steps, kUsualLevels, forecast);
  } else {
    Spread(readout, size.steps, size.levels, forecast);
  }
  ForDoubles(size.steps * size.levels, [&](auto d, size_t i) HWY_ATTR {
    const auto standard = LoadFloats(d, forecast + i);
    const auto value = hn::Add(hn::Set(d, scaling.center), hn::Mul(hn::Set(d, scaling.scale), standard));
    StoreForecast(d, value, forecast + i);
  });
}

// Adds how far a source draws these medians.
HWY_INLINE void AddDraw(const Pull& pull, size_t source, size_t begin, const double* medians, size_t steps,
                        double* shifts) {
  const float* said = pull.sources + source * pull.distance + begin;
  ForDoubles(steps, [&](auto d, size_t j) HWY_ATTR {
    const auto away = hn::Sub(LoadFloats(d, said + j), hn::LoadU(d, medians + j));
    const auto draw = hn::Mul(hn::Set(d, double{pull.weights[source]}), Clamp(d, away, -pull.most, pull.most));
    hn::StoreU(hn::Add(hn::LoadU(d, shifts + j), draw), d, shifts + j);
  });
}

// Calls some(d, i) for each vector, of eight floats at most, and for single numbers where none fits any more.
template <class Some>
HWY_INLINE void ForFloats(size_t count, const Some& some) {
  const hn::CappedTag<float, 8> d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) some(d, i);
  for (; i < count; ++i) some(hn::CappedTag<float, 1>(), i);
}

HWY_INLINE void ShiftSteps(const double* shifts, size_t steps, size_t levels, float* forecast) {
  for (size_t j = 0; j < steps; ++j, forecast += levels) {
    const float shift = math::ToFloat(shifts[j]);
    ForFloats(levels, [&](auto d, size_t i) HWY_ATTR {
      const auto sum = hn::Add(hn::LoadU(d, forecast + i), hn::Set(d, shift));
      const auto value = hn::Min(hn::Max(sum, hn::Set(d, -kMostFloat)), hn::Set(d, kMostFloat));
      const auto tiny = hn::Lt(hn::Abs(value), hn::Set(d, math::kLeastValue));
      hn::StoreU(hn::IfThenZeroElse(tiny, value), d, forecast + i);
    });
  }
}

void PullAll(const Pull& pull, const ForecastSize& size, float* forecast) {
  const size_t levels = size.levels;
  double medians[kStretch], shifts[kStretch];
  for (size_t begin = 0; begin < size.steps; begin += kStretch) {
    const size_t steps = std::min(kStretch, size.steps - begin);
    float* first = forecast + begin * levels;
    for (size_t j = 0; j < steps; ++j) medians[j] = first[j * levels + levels / 2];
    std::fill_n(shifts, steps, 0.0);
    for (size_t source = 0; source < Pull::kSources; ++source) AddDraw(pull, source, begin, medians, steps, shifts);
    if (levels == kUsualLevels) {
      ShiftSteps(shifts, steps, kUsualLevels, first);
    } else {
      ShiftSteps(shifts, steps, levels, first);
    }
  }
}

template <class D>
HWY_INLINE void CorrectSome(D d, const float* low, const float* high, float fraction, float spread, float* quantiles) {
  const auto below = hn::LoadU(d, low);
  const auto theta = hn::Add(below, hn::Mul(hn::Set(d, fraction), hn::Sub(hn::LoadU(d, high), below)));
  const auto excess = hn::Sub(theta, hn::Min(hn::Max(theta, hn::Set(d, -kSlack)), hn::Set(d, kSlack)));
  const auto corrected = hn::Add(hn::LoadU(d, quantiles), hn::Mul(excess, hn::Set(d, spread)));
  hn::StoreU(hn::Min(hn::Max(corrected, hn::Set(d, -kMostFloat)), hn::Set(d, kMostFloat)), d, quantiles);
}

HWY_INLINE void CorrectStep(const float* low, const float* high, float fraction, size_t levels, float* quantiles) {
  const float spread = std::min(quantiles[levels - 1] - quantiles[0], kMostFloat);
  ForFloats(levels,
            [&](auto d, size_t i) HWY_ATTR { CorrectSome(d, low + i, high + i, fraction, spread, quantiles + i); });
  const size_t middle = levels / 2;
  float quantile = quantiles[middle];
  for (size_t i = middle + 1; i < levels; ++i) quantiles[i] = quantile = std::max(quantiles[i], quantile);
  quantile = quantiles[middle];
  for (size_t i = middle; i > 0; --i) quantiles[i - 1] = quantile = std::min(quantiles[i - 1], quantile);
}

HWY_INLINE void CorrectSteps(const float* theta, absl::Span<const Between> steps, size_t levels, float* forecast) {
  for (const Between& between : steps) {
    const float* low = theta + between.low * levels;
    const float* high = between.fraction == 0.0f ? low : low + levels;
    CorrectStep(low, high, between.fraction, levels, forecast);
    forecast += levels;
  }
}

void CorrectAll(const float* theta, absl::Span<const Between> steps, size_t levels, float* forecast) {
  if (levels == kUsualLevels) {
    CorrectSteps(theta, steps, kUsualLevels, forecast);
  } else {
    CorrectSteps(theta, steps, levels, forecast);
  }
}

void RoundAll(const Lattice& lattice, size_t count, float* quantiles) {
  ForDoubles(count, [&](auto d, size_t i) HWY_ATTR {
    const auto base = hn::Set(d, lattice.base), step = hn::Set(d, lattice.step);
    const auto quantile = LoadFloats(d, quantiles + i);
    const auto steps = hn::Div(hn::Sub(quantile, base), step);
    const auto rounded = hn::Add(base, hn::Mul(hn::Floor(hn::Add(steps, hn::Set(d, 0.5))), step));
    const auto near = hn::Lt(hn::Abs(steps), hn::Set(d, lattice.most));
    const auto value = hn::IfThenElse(near, hn::PromoteTo(d, ToForecast(d, rounded)), quantile);
    StoreFloats(d, value, quantiles + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::engine {

HWY_EXPORT(WriteAll);
HWY_EXPORT(PullAll);
HWY_EXPORT(CorrectAll);
HWY_EXPORT(RoundAll);

void WriteQuantiles(const Readout& readout, const math::Scaling& scaling, const ForecastSize& size, float* forecast) {
  HWY_DYNAMIC_DISPATCH(WriteAll)(readout, scaling, size, forecast);
}

void PullQuantiles(const Pull& pull, const ForecastSize& size, float* forecast) {
  HWY_DYNAMIC_DISPATCH(PullAll)(pull, size, forecast);
}

void CorrectQuantiles(const float* theta, absl::Span<const Between> steps, size_t levels, float* forecast) {
  HWY_DYNAMIC_DISPATCH(CorrectAll)(theta, steps, levels, forecast);
}

void RoundQuantiles(const Lattice& lattice, size_t count, float* quantiles) {
  HWY_DYNAMIC_DISPATCH(RoundAll)(lattice, count, quantiles);
}

}  // namespace aaren::engine
#endif
