#include "model/engine/forecasting/input.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "model/engine/network/activation.h"
#include "model/math/lanes.h"
#include "model/math/targets.h"
#include "model/season/gaps.h"
#include "model/season/seasonal_input.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/forecasting/input.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/doubles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::engine {
namespace HWY_NAMESPACE {

constexpr double kMaxFloat = std::numeric_limits<float>::max();

namespace doubles = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using D = doubles::Doubles;
using V = hn::Vec<D>;

// A sum of doubles in kLanes partials by index, joined in the one fixed tree, and the number of terms present. A NaN is
// a term not present.
struct Partials {
  static constexpr size_t kVectors = math::kLanes / hn::MaxLanes(D());

  HWY_INLINE Partials() {
    for (size_t v = 0; v < kVectors; ++v) sums[v] = counts[v] = hn::Zero(D());
  }

  HWY_INLINE void Add(size_t v, V term) {
    const auto present = hn::Eq(term, term);
    sums[v] = hn::Add(sums[v], hn::IfThenElseZero(present, term));
    counts[v] = hn::Add(counts[v], hn::IfThenElseZero(present, hn::Set(D(), 1.0)));
  }

  HWY_INLINE double Sum() const { return Join(sums); }
  HWY_INLINE int Terms() const { return static_cast<int>(Join(counts)); }

  static HWY_INLINE double Join(const V (&vectors)[kVectors]) {
    double p[math::kLanes];
    for (size_t v = 0; v < kVectors; ++v) hn::StoreU(vectors[v], D(), p + v * hn::Lanes(D()));
    const double even = ((p[0] + p[8]) + (p[4] + p[12])) + ((p[2] + p[10]) + (p[6] + p[14]));
    const double odd = ((p[1] + p[9]) + (p[5] + p[13])) + ((p[3] + p[11]) + (p[7] + p[15]));
    return even + odd;
  }

  V sums[kVectors], counts[kVectors];
};

// Summarizes x. A change is a number less the number before, so x[-1] is read as well.
void Summarize(const float* x, size_t count, WindowSummary* window) {
  const D d;
  Partials values, changes, squares;
  for (size_t i = 0; i < count; i += math::kLanes) {
    for (size_t v = 0; v < Partials::kVectors; ++v) {
      const float* at = x + i + v * hn::Lanes(d);
      const V value = doubles::LoadFloats(d, at);
      values.Add(v, value);
      changes.Add(v, hn::Abs(hn::Sub(value, doubles::LoadFloats(d, at - 1))));
    }
  }
  window->present = values.Terms();
  if (window->present == 0) return;
  window->mean = values.Sum() / window->present;
  for (size_t i = 0; i < count; i += math::kLanes) {
    for (size_t v = 0; v < Partials::kVectors; ++v) {
      const V away = hn::Sub(doubles::LoadFloats(d, x + i + v * hn::Lanes(d)), hn::Set(d, window->mean));
      squares.Add(v, hn::Mul(away, away));
    }
  }
  window->variance = squares.Sum() / window->present;
  if (const int neighbours = changes.Terms(); neighbours > 0) window->change = changes.Sum() / neighbours;
}

// out[i] = (x[i] - center) / scale, rounded to float; 0 where x[i] is missing.
void Standardize(const float* x, size_t count, double center, double scale, float* out) {
  doubles::ForDoubles(count, [&](auto d, size_t i) HWY_ATTR {
    const auto away = hn::Sub(doubles::LoadFloats(d, x + i), hn::Set(d, center));
    auto value = hn::Div(away, hn::Set(d, scale));
    value = hn::IfThenElseZero(hn::Eq(value, value), value);
    doubles::StoreFloats(d, doubles::Clamp(d, value, -kMaxFloat, kMaxFloat), out + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::engine {

HWY_EXPORT(Summarize);
HWY_EXPORT(Standardize);

namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

// The newest value present. REQUIRES: a value is present.
double Newest(const float* window, size_t size) {
  while (std::isnan(window[size - 1])) --size;
  return window[size - 1];
}

// Writes the four last summaries, each a logarithm or a share, in the order of the input (rule 2.11, P + 2 to P + 5).
void WriteSummaries(const WindowSummary& window, size_t size, const math::Statistics& statistics, double scale,
                    float* out) {
  alignas(64) float log[math::kLanes];
  std::fill_n(log, math::kLanes, 1.0f);
  // 0.01 keeps the argument of a logarithm above 0 where a series does not vary.
  log[0] = static_cast<float>(std::sqrt(statistics.variance) / scale + 0.01);
  log[1] = static_cast<float>(window.change / scale + 0.01);
  log[2] = static_cast<float>(1.0 + static_cast<double>(statistics.count));
  Log(log, math::kLanes, log);
  out[0] = log[0];
  out[1] = log[1];
  out[2] = static_cast<float>(1.0 - window.present / static_cast<double>(size));
  out[3] = log[2] / 7.0f;
}

}  // namespace

InputScratch::InputScratch(size_t ring) : window(hwy::AllocateAligned<float>(math::kLanes + math::PadToLanes(ring))) {
  std::fill_n(window.get(), math::kLanes + math::PadToLanes(ring), kMissing);
}

math::Scaling BuildInput(const float* newest, size_t size, const SeriesSummary& series, InputScratch& scratch,
                         float* input) {
  const math::Statistics& statistics = series.statistics;
  float* x =
      scratch.window.get() + math::kLanes;  // The values before, and those that fill the last vector, are missing.
  std::copy(newest + 1 - size, newest + 1, x);
  WindowSummary window;
  HWY_DYNAMIC_DISPATCH(Summarize)(x, math::PadToLanes(size), &window);
  const bool empty = window.present == 0;
  const double center = empty ? statistics.mean : window.mean;
  const double prior = statistics.Prior() * std::abs(series.origin + center);
  math::Statistics beside = statistics;
  beside.variance = statistics.VarianceBeside(window.variance, window.present / static_cast<double>(size));
  // 1e-7 |center| and 1e-30 keep the scale above 0 where the values do not vary.
  const double spread = std::sqrt(window.variance / 2.0 + beside.variance / 2.0 + prior * prior);
  const math::Scaling scaling{.center = center, .scale = spread + 1e-7 * std::abs(center) + 1e-30};

  HWY_DYNAMIC_DISPATCH(Standardize)(x, size, center, scaling.scale, input);
  if (static_cast<size_t>(window.present) < size) {
    season::BridgeGaps(x, season::LikenessOf(window.variance, window.change), size, input);
  }
  input[size] = empty ? 0.0f : scaling.Apply(Newest(x, size));
  input[size + 1] = static_cast<float>(statistics.MeanFrom(center, scaling.scale));
  float* rest = input + size + 2;
  std::fill(rest, input + math::PadToLanes(size + 6), 0.0f);
  Asinh(input, math::PadToLanes(size + 6), input);
  WriteSummaries(window, size, beside, scaling.scale, rest);
  return scaling;
}

void AddSeasonalNumbers(const double* numbers, float* input) {
  alignas(64) float log[math::PadToLanes(season::kSeasonalNumbers)];
  std::fill(std::begin(log), std::end(log), 1.0f);
  for (size_t i = 0; i < season::kSeasonalNumbers; ++i) {
    input[i] = static_cast<float>(numbers[i]);
    if (season::kTakesLogarithm[i]) log[i] = input[i];
  }
  Log(log, std::size(log), log);
  for (size_t i = 0; i < season::kSeasonalNumbers; ++i) {
    if (season::kTakesLogarithm[i]) input[i] = log[i];
  }
  for (size_t i : season::kLagNumbers) input[i] /= 7.0f;
}

}  // namespace aaren::engine
#endif
