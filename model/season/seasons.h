#ifndef AAREN_MODEL_SEASON_SEASONS_H_
#define AAREN_MODEL_SEASON_SEASONS_H_

// Which lags a series repeats at, of the bank and of those found besides, chosen by their scores (season_scores.h;
// model/README.md, rules 6.7 to 6.15).
//
// The first season has the least score. The second has the least of those that are neither within 7 % of the first nor
// multiples of it. Two multiples are allowed: seven times (a week of days) and 1,440 beside 60 (a day of hours).

#include <cstdint>

#include "model/season/lag_errors.h"
#include "model/season/season_scores.h"

namespace aaren::season {

// The lags chosen, in tokens; 0 where there is none yet. It lies in the bytes of a row.
struct SeasonChoice {
  uint16_t first = 0;
  uint16_t second = 0;

  bool operator==(const SeasonChoice&) const = default;
};

// Whether a lag is this season or within 7 % of it.
bool IsSameSeason(int lag, int season);

// A series without differences at all has no season.
SeasonChoice ChooseSeasons(const SeasonScores& scores);

struct Season {
  int lag = 0;
  float score = 0.0f;  // as above, 100 at most; far below 1 the series repeats
  float error = 0.0f;  // mean |x_t - x_(t - lag)|, in scales
};

struct Seasons {
  Season first, second;
};

// What the errors say of a choice after token `seq`, which may be later than the choice.
Seasons DescribeSeasons(uint64_t seq, const LagErrors& errors, const SeasonChoice& choice);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_SEASONS_H_
