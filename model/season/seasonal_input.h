#ifndef AAREN_MODEL_SEASON_SEASONAL_INPUT_H_
#define AAREN_MODEL_SEASON_SEASONAL_INPUT_H_

// What seasons add to a token of the network (model/README.md, step 10): numbers of its input, the sources of
// which its median is mixed, and how those did lately.

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/math/scaling.h"
#include "model/season/lag_errors.h"
#include "model/season/seasons.h"
#include "model/season/sources.h"

namespace aaren::season {

inline constexpr size_t kSeasonSources = kSourceCount - 1;  // from kSeasonAgo on
inline constexpr size_t kJudgedResiduals = 48, kNewestResiduals = 12;
inline constexpr float kMostStandard = 30.0f;  // scales: no source and no residual counts beyond

// By number: five of the first season, five of the second, the error at lag 1, then two of each source of seasons.
inline constexpr std::array<bool, 17> kTakesLogarithm = {true,  true, false, true, false, true, true, false, true,
                                                         false, true, true,  true, true,  true, true, true};
inline constexpr size_t kSeasonalNumbers = kTakesLogarithm.size();
inline constexpr size_t kLagNumbers[] = {3, 8};  // whose logarithms are divided by 7

// Writes out: [3, count], the residuals on the token's scale, within +-30; NaN where missing.
void WriteStandardResiduals(const Past& past, const SeasonChoice& choice, double scale, size_t count, float* out);

// Puts `count` numbers of sources on the token's scale, within +-30; out may be where they are.
void StandardizeSources(const float* sources, size_t count, const math::Scaling& scaling, float* out);

// After token `seq`. residuals: [3, 48], as above. Writes out: [17], of those that take a logarithm its argument, 1
// where there is nothing to say.
void WriteSeasonalNumbers(uint64_t seq, const LagErrors& errors, const SeasonChoice& choice, const float* residuals,
                          double* out);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_SEASONAL_INPUT_H_
