#ifndef AAREN_MODEL_SEASON_LAG_SEARCH_H_
#define AAREN_MODEL_SEASON_LAG_SEARCH_H_

// The search for a season that no lag of the bank is: a machine's cycle of 137 values, the days of a sensor that
// measures every seven minutes (model/README.md, rules 6.48 to 6.57).
//
// The values are still there, so any lag can be judged by comparing them again, without an error of its own. That is
// done for sixteen lags at each probe, one after another, so all are looked at within some 1,300 tokens. A lag that
// does far better than the first season goes on *trial*: the best of many is so by chance, too, and has to be as good
// on the values that come. Then it is *found*, and its error is kept as those of the bank are.

#include <cstdint>

#include "model/season/lag_errors.h"
#include "model/season/seasons.h"

namespace aaren::season {

// What a probe does at token `seq`: chooses the seasons, then goes on with the search. newest: that token's value, with
// those before it in the order of time, at least ValueMemory::kValues - 1 of them, NaN where missing.
SeasonChoice ChooseAndSearch(uint64_t seq, const float* newest, LagErrors& errors);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_LAG_SEARCH_H_
