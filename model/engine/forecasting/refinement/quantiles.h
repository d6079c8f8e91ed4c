#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_QUANTILES_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_QUANTILES_H_

// The arithmetic on all quantiles of a forecast, compiled for each instruction set. Quantiles are taken from the
// network's outputs to the units of the series, pulled towards the naive forecasts, corrected, and restricted to values
// that the series can take (model/README.md, rules 5 to 7 and 9). Mixture, Calibration and Support know where the
// numbers come from.
//
// A forecast is [steps, levels]. Each number is a fixed sequence of operations, so a compiler may vectorise the loops
// and cannot change a bit. Threading: free functions.

#include <cstddef>

#include "absl/types/span.h"
#include "model/math/scaling.h"

namespace aaren::engine {

struct ForecastSize {
  size_t steps, levels;
};

// The outputs of the head for a token.
struct Readout {
  const float* raw;       // [steps, levels]; the middle level is the median less the skip
  const float* softplus;  // [steps, levels]: softplus(raw), the gaps between quantiles
  const float* skip;      // [steps]
};

// Writes the median, then each quantile from its inner neighbour outwards, so that quantiles cannot cross. The forecast
// is in the units of the series.
void WriteQuantiles(const Readout& readout, const math::Scaling& scaling, const ForecastSize& size, float* forecast);

// After a gap of `missing` values, a step has the distances from the median that the step `missing` further on has: the
// series goes on while nobody sees it. Beyond the last step the last step's count.
void WidenAfterGap(size_t missing, const ForecastSize& size, float* forecast);

// The pull of the naive forecasts on some consecutive steps of a forecast.
struct Pull {
  static constexpr size_t kSources = 4;
  const float* weights;  // [kSources]
  double most;           // the distance from the median that counts, at most
  const float* sources;  // [steps], of the first source; each next source is `distance` floats further on
  size_t distance;
  size_t steps;
};

// Moves all quantiles of a step by the shift of the step's median, less the further from the median, and the outermost
// by half. Then puts the quantiles in order from the median outwards. REQUIRES: the pulls cover all steps of the
// forecast.
void PullQuantiles(absl::Span<const Pull> pulls, const ForecastSize& size, float* forecast);

// The origin of a step's correction: theta of a tracked horizon, and a fraction of the way to the next tracked horizon.
struct Between {
  size_t low;
  float fraction;
};

// quantiles[i] += (theta's excess over the slack) * spread. Afterwards quantiles are put in order from the median
// outwards and stay finite. theta: [tracked horizons, levels]. steps: one for each step of the forecast.
void CorrectQuantiles(const float* theta, absl::Span<const Between> steps, size_t levels, float* forecast);

// A lattice holds the multiples of `step` from `base`, from number `first` to number `last`; REQUIRES: step > 0.
// Quantiles `most` steps or more from `base` do not move.
struct Lattice {
  double base, step, most;
  double first, last;
};

void RoundQuantiles(const Lattice& lattice, size_t count, float* quantiles);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_QUANTILES_H_
