#ifndef AAREN_MODEL_SEASON_LAG_SEARCH_H_
#define AAREN_MODEL_SEASON_LAG_SEARCH_H_

// The search for a season that is no lag of the bank: a machine's cycle of 137 values, or the days of a sensor that
// measures every seven minutes (model/README.md, rules 6.48 to 6.57).
//
// The values are still in memory, so a search can judge any lag by comparing the values again, without a stored error.
// Each probe looks at the next sixteen lags, so some 1,300 tokens look at all. A lag that does far better than the
// first season goes on *trial*: the best of many lags may be best by chance, so the lag has to be as good on the values
// to come. After a trial that succeeds the lag is *found*, and its error is stored and averaged like the errors of the
// bank.

#include <cstdint>

#include "model/season/lag_errors.h"
#include "model/season/seasons.h"

namespace aaren::season {

// Does the work of a probe at token `seq`: chooses the seasons, then continues the search. `newest` points to the value
// of that token. At least ValueMemory::kValues - 1 earlier values lie before `newest`, oldest first, NaN where missing.
SeasonChoice ChooseAndSearch(uint64_t seq, const float* newest, LagErrors& errors);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_LAG_SEARCH_H_
