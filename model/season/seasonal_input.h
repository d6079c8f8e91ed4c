#ifndef AAREN_MODEL_SEASON_SEASONAL_INPUT_H_
#define AAREN_MODEL_SEASON_SEASONAL_INPUT_H_

// The part of a token's network input that comes from seasons (model/README.md, step 10): the seasonal numbers, the
// sources of which the network mixes its median, and the sources' recent residuals.

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/math/scaling.h"
#include "model/season/lag_errors.h"
#include "model/season/seasons.h"
#include "model/season/sources.h"

namespace aaren::season {

inline constexpr size_t kSeasonSources = kSourceCount - 1;             // the sources from kSeasonAgo on
inline constexpr size_t kJudgedResiduals = 48, kNewestResiduals = 12;  // residuals of a source
inline constexpr float kMostStandard = 30.0f;  // scales: the magnitude to which sources and residuals are clamped

// By number: five for the first season, five for the second, the error at lag 1, two for each source of seasons.
inline constexpr std::array<bool, 17> kTakesLogarithm = {true,  true, false, true, false, true, true, false, true,
                                                         false, true, true,  true, true,  true, true, true};
inline constexpr size_t kSeasonalNumbers = kTakesLogarithm.size();
inline constexpr size_t kLagNumbers[] = {3, 8};  // the numbers whose logarithm is divided by 7

// Writes the residuals (sources.h) on the token's scale, clamped to +-30, to out: [3, count]; NaN where missing.
void WriteStandardResiduals(const Past& past, const SeasonChoice& choice, double scale, size_t count, float* out);

// Writes `count` numbers of sources on the token's scale, clamped to +-30. `out` may be `sources`.
void StandardizeSources(const float* sources, size_t count, const math::Scaling& scaling, float* out);

// Writes the seasonal numbers after token `seq` to out: [17]. A number of kTakesLogarithm is written as the argument of
// the logarithm, and is 1 where nothing is known. residuals: [3, 48], from WriteStandardResiduals. Lags of `errors` and
// `choice` count tokens, and the numbers count places of `every` tokens (thinning.h).
void WriteSeasonalNumbers(uint64_t seq, const LagErrors& errors, const SeasonChoice& choice, const float* residuals,
                          int every, double* out);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_SEASONAL_INPUT_H_
