#ifndef AAREN_MODEL_SEASON_SOURCES_H_
#define AAREN_MODEL_SEASON_SOURCES_H_

// Sources are naive forecasts made from a series' memory: the last value, the value one season ago, the mean of up to
// four seasons, and the value one second season ago (model/README.md, rules 6.16 to 6.24). A season repeats as often as
// the horizon needs. For a missing value a source takes the value one more season ago.

#include <cstddef>
#include <limits>

#include "absl/types/span.h"
#include "model/season/seasons.h"
#include "model/season/value_memory.h"

namespace aaren::season {

enum Source : size_t { kLastValue, kSeasonAgo, kSeasonsMean, kSecondAgo };
inline constexpr size_t kSourceCount = 4;
inline constexpr int kSeasonsInMean = 4;

// Values in the order of time, NaN where missing: a pointer to the newest, and how many values precede the newest.
struct Past {
  const float* newest;
  int older;
  Bounds typical;  // values beyond this range are no part of a season
  int far = 0;     // how many of the newest values are not believed yet

  // The value `age` tokens before the newest; NaN if missing or no part of a season.
  float At(int age) const {
    const float value = newest[-age];
    const bool seasonal = age >= far && value >= typical.low && value <= typical.high;
    return seasonal ? value : std::numeric_limits<float>::quiet_NaN();
  }
  // The past as known `age` tokens ago.
  Past Before(int age) const { return {newest - age, older - age, typical}; }
};

// Writes the sources by Source and step to out: [4, horizon], in the units of the series. Without a season, the sources
// of that season repeat the last value. Where no value is present, `level` stands for the last value.
void WriteSources(const Past& past, const SeasonChoice& choice, float level, size_t horizon, float* out);

// Writes the four sources of a single step, `ahead` steps ahead, to out: [4].
void WriteSourcesAt(const Past& past, const SeasonChoice& choice, float level, int ahead, float* out);

// Writes how the sources of seasons did lately to out: [3, count], by source from kSeasonAgo on. Residual i is x_(t-i)
// less the source's forecast of x_(t-i), made from one season before (up to four for kSeasonsMean). NaN where either
// number is missing.
void WriteResiduals(const Past& past, const SeasonChoice& choice, size_t count, float* out);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_SOURCES_H_
