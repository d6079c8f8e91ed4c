#ifndef AAREN_MODEL_SEASON_GAPS_H_
#define AAREN_MODEL_SEASON_GAPS_H_

// Gaps are short stretches of missing values in a series that else has values (model/README.md, rules 2.20 and 2.21).
// A network takes a missing value for one at the mean, so a walk with gaps looks to the network like a series that
// leaps. The numbers between the neighbours of a gap are nearer the truth, the more neighbours are alike.
//
// Threading: free functions.

#include <cstddef>

namespace aaren::season {

inline constexpr size_t kLongestGap = 3;  // missing values

// How far a value is like its neighbour: 1 for a walk, 0 for noise. `variance` is of the values, `change` the mean
// magnitude of the change from a value to the next.
double LikenessOf(double variance, double change);

// Writes numbers for the missing values of gaps of up to kLongestGap: on the line between both neighbours, or as the
// newest value where no value follows, times `likeness`. `standard` are the values less their mean, by any unit. The
// numbers for other missing values stay.
void BridgeGaps(const float* values, double likeness, size_t count, float* standard);

// How many values are missing after the newest present of the last `count`; `count` where none is present.
int MissingSince(const float* newest, int count);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_GAPS_H_
