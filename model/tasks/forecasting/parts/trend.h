#ifndef AAREN_MODEL_TASKS_FORECASTING_PARTS_TREND_H_
#define AAREN_MODEL_TASKS_FORECASTING_PARTS_TREND_H_

// The slow part of a synthetic series: linear, piecewise linear, integrated once or twice, shifting in level, or
// mean-reverting at a fast, a middle or a slow speed.

#include <vector>

#include "absl/types/span.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

// A trend of `length` values, mean 0 and deviation 1 over the length.
std::vector<double> RandomTrend(Random& random, int length);

// A stationary mean-reverting path with deviation 1 that forgets over about `memory` values (memory >= 1).
std::vector<double> MeanReverting(Random& random, int length, double memory);

// Shifts and scales to mean 0 and deviation 1; a constant becomes zeros.
void Standardize(absl::Span<double> values);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_PARTS_TREND_H_
