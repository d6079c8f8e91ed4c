#ifndef AAREN_MODEL_ENGINE_FORECASTING_INPUT_H_
#define AAREN_MODEL_ENGINE_FORECASTING_INPUT_H_

// The numbers a token hands to the network: its recent values on the scale of the series, and six summaries
// (model/README.md, step 2).

#include <hwy/aligned_allocator.h>

#include <cstddef>

#include "model/math/scaling.h"
#include "model/math/statistics.h"

namespace aaren::engine {

// What the recent values are. The numbers are 0 where there is nothing to take them from.
struct WindowSummary {
  int present = 0;
  double mean = 0.0;
  double variance = 0.0;
  double change = 0.0;  // mean absolute one between neighbours
};

// Memory that BuildInput works in.
struct InputScratch {
  explicit InputScratch(size_t ring);
  hwy::AlignedFreeUniquePtr<float[]> window;
};

// newest: where the newest value is, after the others in the order of time, of which the last `size` count; NaN where
// missing, all within the statistics' reach. Writes input: [size + 6], aligned to 64 and padded with zeros to kLanes.
math::Scaling BuildInput(const float* newest, size_t size, const math::Statistics& statistics, InputScratch& scratch,
                         float* input);

// Takes the logarithms of WriteSeasonalNumbers' [17]. Writes input: [17], those that follow the summaries.
void AddSeasonalNumbers(const double* numbers, float* input);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_INPUT_H_
