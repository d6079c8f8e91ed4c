#include "model/season/seasonal_input.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/season/seasonal_input.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/doubles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::season {
namespace HWY_NAMESPACE {

namespace doubles = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

// numbers[i] = numbers[i] / scale, clamped to +-kMostStandard.
void DivideAll(double scale, size_t count, float* numbers) {
  doubles::ForDoubles(count, [&](auto d, size_t i) HWY_ATTR {
    const auto number = hn::Div(doubles::LoadFloats(d, numbers + i), hn::Set(d, scale));
    doubles::StoreFloats(d, doubles::Clamp(d, number, -kMostStandard, kMostStandard), numbers + i);
  });
}

// out[i] = (x[i] - center) / scale, clamped to the finite floats, rounded to float and clamped to +-kMostStandard.
void StandardizeAll(const float* x, size_t count, const math::Scaling& scaling, float* out) {
  constexpr double kMost = std::numeric_limits<float>::max();
  doubles::ForDoubles(count, [&](auto d, size_t i) HWY_ATTR {
    const auto away = hn::Sub(doubles::LoadFloats(d, x + i), hn::Set(d, scaling.center));
    const auto number = doubles::Clamp(d, hn::Div(away, hn::Set(d, scaling.scale)), -kMost, kMost);
    const hn::Rebind<float, decltype(d)> df;
    hn::StoreU(doubles::Clamp(df, hn::DemoteTo(df, number), -kMostStandard, kMostStandard), df, out + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::season
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::season {

HWY_EXPORT(DivideAll);
HWY_EXPORT(StandardizeAll);

namespace {

constexpr double kLeast = 0.01;   // added to an error before the logarithm, so that an error of 0 has a logarithm
constexpr double kNothing = 1.0;  // an argument with the logarithm 0

// Writes five numbers: the error, the error over the error at lag 1, the score, the lag, and 1 if the season exists.
void WriteSeason(const Season& season, float previous, int every, double* out) {
  const bool exists = season.lag > 0;
  const double error = static_cast<double>(season.error) + kLeast;
  out[0] = exists ? error : kNothing;
  out[1] = exists && !std::isnan(previous) ? error / (static_cast<double>(previous) + kLeast) : kNothing;
  out[2] = season.score;
  out[3] = exists ? static_cast<double>(season.lag) / every : kNothing;
  out[4] = exists ? 1.0 : 0.0;
}

// The mean magnitudes of the residuals that are present: of the newest ones, and of all judged ones. The loop has no
// branch, because adding 0 for a missing residual changes no bit.
struct MeanSizes {
  explicit MeanSizes(const float* residuals) {
    Add(residuals, 0, kNewestResiduals);
    newest = Mean();
    Add(residuals, kNewestResiduals, kJudgedResiduals);
    judged = Mean();
  }

  void Add(const float* residuals, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const bool known = residuals[i] == residuals[i];
      sum += known ? std::abs(residuals[i]) : 0.0f;
      present += known ? 1 : 0;
    }
  }

  double Mean() const { return present > 0 ? sum / present + kLeast : kNothing; }

  double sum = 0.0;
  int present = 0;
  double newest, judged;
};

}  // namespace

void WriteStandardResiduals(const Past& past, const SeasonChoice& choice, double scale, size_t count, float* out) {
  WriteResiduals(past, choice, count, out);
  HWY_DYNAMIC_DISPATCH(DivideAll)(scale, kSeasonSources * count, out);  // a NaN passes
}

void StandardizeSources(const float* sources, size_t count, const math::Scaling& scaling, float* out) {
  HWY_DYNAMIC_DISPATCH(StandardizeAll)(sources, count, scaling, out);
}

void WriteSeasonalNumbers(uint64_t seq, const LagErrors& errors, const SeasonChoice& choice, const float* residuals,
                          int every, double* out) {
  const Seasons seasons = DescribeSeasons(seq, errors, choice);
  const float previous = errors.At(seq, every);
  WriteSeason(seasons.first, previous, every, out);
  WriteSeason(seasons.second, previous, every, out + 5);
  out[10] = std::isnan(previous) ? kNothing : static_cast<double>(previous) + kLeast;
  for (size_t source = 0; source < kSeasonSources; ++source) {
    const MeanSizes sizes(residuals + source * kJudgedResiduals);
    out[11 + 2 * source] = sizes.judged;
    out[12 + 2 * source] = sizes.newest;
  }
}

}  // namespace aaren::season
#endif
