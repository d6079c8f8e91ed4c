#ifndef AAREN_MODEL_SEASON_SEASONS_H_
#define AAREN_MODEL_SEASON_SEASONS_H_

// Seasons are the two lags at which a series repeats best, chosen among the lags of the bank and the found lags by
// their scores (season_scores.h; model/README.md, rules 6.7 to 6.15).
//
// The first season has the least score. The second has the least score among the lags that are neither within 7 % of
// the first nor a multiple of the first. Two multiples are allowed: seven times (a week of days), and 1,440 beside 60
// (a day of hours).

#include <cstdint>

#include "model/season/lag_errors.h"
#include "model/season/season_scores.h"

namespace aaren::season {

// The chosen lags, in tokens; 0 where none was chosen. SeasonChoice lies in the bytes of a row.
struct SeasonChoice {
  uint16_t first = 0;
  uint16_t second = 0;

  bool operator==(const SeasonChoice&) const = default;
};

// True if `lag` is within 7 % of `season`.
bool IsSameSeason(int lag, int season);

// Chooses the seasons with the least scores. A series without any differences has no season.
SeasonChoice ChooseSeasons(const SeasonScores& scores);

struct Season {
  int lag = 0;
  float score = 0.0f;  // SeasonScores' score, 100 at most; far below 1 the series repeats
  float error = 0.0f;  // mean |x_t - x_(t - lag)|, in scales
};

struct Seasons {
  Season first, second;
};

// The scores and errors of a choice after token `seq`. The choice may be older than token `seq`.
Seasons DescribeSeasons(uint64_t seq, const LagErrors& errors, const SeasonChoice& choice);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_SEASONS_H_
