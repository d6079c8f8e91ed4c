#ifndef AAREN_MODEL_ENGINE_FORECASTING_INPUT_H_
#define AAREN_MODEL_ENGINE_FORECASTING_INPUT_H_

// The numbers that a token hands to the network: the recent values on the scale of the series, and six summaries
// (model/README.md, step 2).

#include <hwy/aligned_allocator.h>

#include <cstddef>

#include "model/math/scaling.h"
#include "model/math/statistics.h"

namespace aaren::engine {

// The summary of the recent values. A number is 0 where no value is present to compute the number from.
struct WindowSummary {
  int present = 0;
  double mean = 0.0;
  double variance = 0.0;
  double change = 0.0;  // mean magnitude of x[i] - x[i-1] over neighbours both present
};

// The memory in which BuildInput works.
struct InputScratch {
  explicit InputScratch(size_t ring);
  hwy::AlignedFreeUniquePtr<float[]> window;
};

// The statistics and the origin of a series' values, which are relative to the origin.
struct SeriesSummary {
  const math::Statistics& statistics;
  double origin;
};

// Writes the input of a token to input: [size + 6], aligned to 64 and padded with zeros to kLanes. Returns the token's
// scaling. `newest` points to the newest value, after older values in the order of time. The last `size` values count.
// Values are NaN where missing, and within the statistics' reach.
math::Scaling BuildInput(const float* newest, size_t size, const SeriesSummary& series, InputScratch& scratch,
                         float* input);

// Writes the seasonal numbers of the input, which follow the summaries, to input: [17]. Takes the logarithms of
// `numbers`, the [17] of WriteSeasonalNumbers.
void AddSeasonalNumbers(const double* numbers, float* input);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_INPUT_H_
