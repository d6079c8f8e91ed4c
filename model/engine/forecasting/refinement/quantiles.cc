#include "model/engine/forecasting/refinement/quantiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "model/math/lanes.h"
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

// Part of theta without effect, in spreads: only the excess over kSlack corrects a quantile. theta wanders by chance
// while nothing is wrong, and a forecast is then better left alone. The slack costs no coverage, because theta moves on
// until the coverage is right.
constexpr float kSlack = 0.1f;

constexpr size_t kUsualLevels = 9;  // loops over this number of levels are unrolled
constexpr size_t kStretch = 64;     // steps computed at a time

// Clamps and rounds like math::ToForecast.
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

// Writes the quantiles on the normalised scale. `forecast` may be readout.softplus.
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

// Calls some(d, i) for each vector of at most eight floats, then for each number left.
template <class Some>
HWY_INLINE void ForFloats(size_t count, const Some& some) {
  const hn::CappedTag<float, 8> d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) some(d, i);
  for (; i < count; ++i) some(hn::CappedTag<float, 1>(), i);
}

// The share of a step's shift by which each quantile moves, by level: 1 for the median, 1/2 for the outermost.
HWY_INLINE float ShareOfShift(size_t level, size_t levels) {
  const size_t middle = levels / 2, away = level < middle ? middle - level : level - middle;
  return middle == 0 ? 1.0f : 1.0f - 0.5f * (static_cast<float>(away) / static_cast<float>(middle));
}

// quantiles += shift * share, clamped and rounded like math::ToForecast of a float.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void ShiftSome(D d, V shift, V share, float* quantiles) {
  const V sum = hn::Add(hn::LoadU(d, quantiles), hn::Mul(shift, share));
  const V value = hn::Min(hn::Max(sum, hn::Set(d, -kMostFloat)), hn::Set(d, kMostFloat));
  const auto tiny = hn::Lt(hn::Abs(value), hn::Set(d, math::kLeastValue));
  hn::StoreU(hn::IfThenZeroElse(tiny, value), d, quantiles);
}

// The step of each number, in a forecast of kLevels levels.
template <size_t kLevels, size_t kCount>
constexpr std::array<int32_t, kCount> StepsOf() {
  std::array<int32_t, kCount> steps{};
  for (size_t i = 0; i < kCount; ++i) steps[i] = static_cast<int32_t>(i / kLevels);
  return steps;
}

// The shares of each number, in a forecast of kLevels levels.
template <size_t kLevels, size_t kCount>
constexpr std::array<float, kCount> SharesOf() {
  std::array<float, kCount> shares{};
  for (size_t i = 0; i < kCount; ++i) {
    const size_t level = i % kLevels, away = level < kLevels / 2 ? kLevels / 2 - level : level - kLevels / 2;
    shares[i] = 1.0f - 0.5f * (static_cast<float>(away) / static_cast<float>(kLevels / 2));
  }
  return shares;
}

// Shifts as many steps at a time as a vector has lanes; the quantiles of these steps fill kLevels whole vectors.
// Returns the number of steps shifted.
template <size_t kLevels>
HWY_INLINE size_t ShiftWholeVectors(const float* shifts, size_t steps, float* forecast) {
  const hn::CappedTag<float, math::kLanes> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  alignas(64) static constexpr auto kStepOf = StepsOf<kLevels, kLevels * kLanes>();
  alignas(64) static constexpr auto kShares = SharesOf<kLevels, kLevels * kLanes>();
  size_t step = 0;
  for (; step + kLanes <= steps; step += kLanes) {
    const auto shift = hn::LoadU(d, shifts + step);
    for (size_t i = 0; i < kLevels; ++i, forecast += kLanes) {
      ShiftSome(d, hn::TableLookupLanes(shift, hn::SetTableIndices(d, kStepOf.data() + i * kLanes)),
                hn::LoadU(d, kShares.data() + i * kLanes), forecast);
    }
  }
  return step;
}

HWY_INLINE void ShiftSteps(const float* shifts, size_t steps, size_t levels, float* forecast) {
  const hn::CappedTag<float, 1> d;
  for (size_t j = 0; j < steps; ++j, forecast += levels) {
    for (size_t i = 0; i < levels; ++i) {
      ShiftSome(d, hn::Set(d, shifts[j]), hn::Set(d, ShareOfShift(i, levels)), forecast + i);
    }
  }
}

HWY_INLINE void ShiftAll(const float* shifts, size_t steps, size_t levels, float* forecast) {
  if (levels != kUsualLevels) return ShiftSteps(shifts, steps, levels, forecast);
  const size_t done = ShiftWholeVectors<kUsualLevels>(shifts, steps, forecast);
  ShiftSteps(shifts + done, steps - done, kUsualLevels, forecast + done * kUsualLevels);
}

// True if no quantile is less than the quantile before.
HWY_INLINE bool InOrder(const float* quantiles, size_t levels) {
  bool all = true;
  ForFloats(levels - 1, [&](auto d, size_t i) HWY_ATTR {
    all = all && hn::AllTrue(d, hn::Le(hn::LoadU(d, quantiles + i), hn::LoadU(d, quantiles + i + 1)));
  });
  return all;
}

// Puts the quantiles in order from the median outwards.
HWY_INLINE void Order(size_t levels, float* quantiles) {
  const size_t middle = levels / 2;
  float quantile = quantiles[middle];
  for (size_t i = middle + 1; i < levels; ++i) quantiles[i] = quantile = std::max(quantiles[i], quantile);
  quantile = quantiles[middle];
  for (size_t i = middle; i > 0; --i) quantiles[i - 1] = quantile = std::min(quantiles[i - 1], quantile);
}

HWY_INLINE void OrderAll(const ForecastSize& size, float* forecast) {
  for (size_t j = 0; j < size.steps; ++j, forecast += size.levels) {
    if (!InOrder(forecast, size.levels)) Order(size.levels, forecast);
  }
}

// Writes the shifts of `steps` steps of a pull, from step `begin` on. medians: the medians of these steps.
HWY_INLINE void WriteShifts(const Pull& pull, size_t begin, const double* medians, size_t steps, float* shifts) {
  const float* said = pull.sources + begin;
  ForDoubles(steps, [&](auto d, size_t j) HWY_ATTR {
    auto shift = hn::Zero(d);
    for (size_t source = 0; source < Pull::kSources; ++source) {
      const auto away = hn::Sub(LoadFloats(d, said + source * pull.distance + j), hn::LoadU(d, medians + j));
      shift = hn::Add(shift, hn::Mul(hn::Set(d, double{pull.weights[source]}), Clamp(d, away, -pull.most, pull.most)));
    }
    StoreFloats(d, Clamp(d, shift, -double{kMostFloat}, double{kMostFloat}), shifts + j);
  });
}

// Shifts are gathered across pulls until kStretch steps are ready, so that most vectors are full.
void PullAll(absl::Span<const Pull> pulls, const ForecastSize& size, float* forecast) {
  double medians[kStretch];
  float shifts[kStretch];
  float* const first = forecast;
  size_t gathered = 0;
  for (const Pull& pull : pulls) {
    for (size_t begin = 0, steps; begin < pull.steps; begin += steps) {
      steps = std::min(kStretch - gathered, pull.steps - begin);
      const float* median = forecast + gathered * size.levels + size.levels / 2;
      for (size_t j = 0; j < steps; ++j) medians[j] = median[j * size.levels];
      WriteShifts(pull, begin, medians, steps, shifts + gathered);
      gathered += steps;
      if (gathered < kStretch) continue;
      ShiftAll(shifts, gathered, size.levels, forecast);
      forecast += gathered * size.levels;
      gathered = 0;
    }
  }
  ShiftAll(shifts, gathered, size.levels, forecast);
  OrderAll(size, first);
}

template <class V, class D>
HWY_INLINE V Corrected(D d, V low, V high, float fraction, float spread, V quantiles) {
  const V theta = hn::Add(low, hn::Mul(hn::Set(d, fraction), hn::Sub(high, low)));
  const V excess = hn::Sub(theta, hn::Min(hn::Max(theta, hn::Set(d, -kSlack)), hn::Set(d, kSlack)));
  const V corrected = hn::Add(quantiles, hn::Mul(excess, hn::Set(d, spread)));
  return hn::Min(hn::Max(corrected, hn::Set(d, -kMostFloat)), hn::Set(d, kMostFloat));
}

HWY_INLINE void CorrectStep(const float* low, const float* high, float fraction, size_t levels, float* quantiles) {
  const float spread = std::min(quantiles[levels - 1] - quantiles[0], kMostFloat);
  ForFloats(levels, [&](auto d, size_t i) HWY_ATTR {
    const auto corrected =
        Corrected(d, hn::LoadU(d, low + i), hn::LoadU(d, high + i), fraction, spread, hn::LoadU(d, quantiles + i));
    hn::StoreU(corrected, d, quantiles + i);
  });
}

HWY_INLINE void CorrectSteps(const float* theta, absl::Span<const Between> steps, size_t levels, float* forecast) {
  float* quantiles = forecast;
  for (const Between& between : steps) {
    const float* low = theta + between.low * levels;
    // A fraction of 0 may have no next tracked horizon, so both ends are `low`.
    const float* high = between.fraction == 0.0f ? low : low + levels;
    CorrectStep(low, high, between.fraction, levels, quantiles);
    quantiles += levels;
  }
  for (quantiles = forecast; quantiles != forecast + steps.size() * levels; quantiles += levels) {
    if (!InOrder(quantiles, levels)) Order(levels, quantiles);
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
    const auto number = Clamp(d, hn::Floor(hn::Add(steps, hn::Set(d, 0.5))), lattice.first, lattice.last);
    const auto rounded = hn::Add(base, hn::Mul(number, step));
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

void WidenAfterGap(size_t missing, const ForecastSize& size, float* forecast) {
  if (missing == 0) return;
  for (size_t step = 0; step + 1 < size.steps; ++step) {
    float* own = forecast + step * size.levels;
    const float* further = forecast + std::min(step + missing, size.steps - 1) * size.levels;
    const float median = own[size.levels / 2], center = further[size.levels / 2];
    for (size_t i = 0; i < size.levels; ++i) own[i] = math::ToForecast(median + (further[i] - center));
  }
}

void PullQuantiles(absl::Span<const Pull> pulls, const ForecastSize& size, float* forecast) {
  HWY_DYNAMIC_DISPATCH(PullAll)(pulls, size, forecast);
}

void CorrectQuantiles(const float* theta, absl::Span<const Between> steps, size_t levels, float* forecast) {
  HWY_DYNAMIC_DISPATCH(CorrectAll)(theta, steps, levels, forecast);
}

void RoundQuantiles(const Lattice& lattice, size_t count, float* quantiles) {
  HWY_DYNAMIC_DISPATCH(RoundAll)(lattice, count, quantiles);
}

}  // namespace aaren::engine
#endif
