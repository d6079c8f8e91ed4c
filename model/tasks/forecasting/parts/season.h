#ifndef AAREN_MODEL_TASKS_FORECASTING_PARTS_SEASON_H_
#define AAREN_MODEL_TASKS_FORECASTING_PARTS_SEASON_H_

// The repeating part of a synthetic series: one to three cycles. Three quarters of the series follow a calendar: 24
// values a day and 168 a week, 96 and 672, 144 and 1008, 48 and 336, 7, 12, ... All other series have any period from 4
// to 700, and their second and third cycles are harmonics, multiples, or unrelated. A cycle has one of eight waveforms.
// The amplitude is constant, new in every cycle, or drifting. The phase may wander, the shape may change once, and a
// calendar's days may have week-ends.

#include <vector>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

// `length` values, mean 0 and deviation 1 over the length.
std::vector<double> RandomSeason(Random& random, int length);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_PARTS_SEASON_H_
