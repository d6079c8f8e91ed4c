#ifndef AAREN_MODEL_SEASON_SOURCES_H_
#define AAREN_MODEL_SEASON_SOURCES_H_

// Sources are the naive forecasts that a series' memory gives. They are the last value, the values one season ago, the
// mean of up to four seasons, and the values one second season ago (model/README.md, rules 6.16 to 6.24). A season is
// continued as often as the horizon needs; a missing value is taken from a season before.

#include <cstddef>
#include <limits>

#include "absl/types/span.h"
#include "model/season/seasons.h"
#include "model/season/value_memory.h"

namespace aaren::season {

enum Source : size_t { kLastValue, kSeasonAgo, kSeasonsMean, kSecondAgo };
inline constexpr size_t kSourceCount = 4;
inline constexpr int kSeasonsInMean = 4;

// Values in the order of time, NaN where missing: the newest, and how many are before it.
struct Past {
  const float* newest;
  int older;
  Bounds typical;  // what was beyond it does not come again
  int far = 0;     // how many of the newest are not believed yet

  // NaN also where it is no part of a season.
  float At(int age) const {
    const float value = newest[-age];
    const bool seasonal = age >= far && value >= typical.low && value <= typical.high;
    return seasonal ? value : std::numeric_limits<float>::quiet_NaN();
  }
  // As it was `age` tokens earlier.
  Past Before(int age) const { return {newest - age, older - age, typical}; }
};

// Writes out: [4, horizon], in the units of the series, by Source and step. Without a season its sources are the last
// value; `level` stands for that where no value is present.
void WriteSources(const Past& past, const SeasonChoice& choice, float level, size_t horizon, float* out);

// Of one step ahead alone: out is [4].
void WriteSourcesAt(const Past& past, const SeasonChoice& choice, float level, int ahead, float* out);

// How a source of seasons did lately: x_(t-i) less what it forecasts there, one season (or up to four) before, for
// i = 0 .. count - 1. Writes out: [3, count], by source from kSeasonAgo on; NaN where either is missing.
void WriteResiduals(const Past& past, const SeasonChoice& choice, size_t count, float* out);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_SOURCES_H_
