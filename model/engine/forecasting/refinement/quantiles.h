#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_QUANTILES_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_QUANTILES_H_

// What every quantile of a forecast goes through, compiled for each instruction set: from the network's outputs to the
// units of the series, towards the naive forecasts, corrected, and onto what the series can be (model/README.md, rules
// 5 to 7 and 9). Whose numbers those are is known to Mixture, Calibration and Support.
//
// A forecast is [steps, levels]. Each number is a fixed sequence of operations of its own, so the compiler may
// vectorise the loops and cannot change a bit. Threading: free functions.

#include <cstddef>

#include "absl/types/span.h"
#include "model/math/scaling.h"

namespace aaren::engine {

struct ForecastSize {
  size_t steps, levels;
};

// What the head made of a token.
struct Readout {
  const float* raw;       // [steps, levels]: in the middle the median less the skip
  const float* softplus;  // [steps, levels] of those: the gaps between quantiles
  const float* skip;      // [steps]
};

// The median first, then step by step outwards, so that they cannot cross; in the units of the series.
void WriteQuantiles(const Readout& readout, const math::Scaling& scaling, const ForecastSize& size, float* forecast);

// Where naive forecasts draw some steps of a forecast, which follow each other.
struct Pull {
  static constexpr size_t kSources = 4;
  const float* weights;  // [kSources]
  double most;           // the distance from the median that counts, at most
  const float* sources;  // [steps], of the first source; each next is `distance` floats on
  size_t distance;
  size_t steps;
};

// All quantiles of a step move as far as its median. REQUIRES: the pulls have all steps of the forecast.
void PullQuantiles(absl::Span<const Pull> pulls, const ForecastSize& size, float* forecast);

// Where the correction of a step comes from: theta of a tracked horizon and a fraction of the way to the next.
struct Between {
  size_t low;
  float fraction;
};

// quantiles[i] += (what theta exceeds the slack by) * spread; then in order from the median outwards, and finite.
// theta: [tracked horizons, levels]; steps: of the forecast.
void CorrectQuantiles(const float* theta, absl::Span<const Between> steps, size_t levels, float* forecast);

// Multiples of `step` from `base`; none where step is 0. Quantiles further than `most` steps stay where they are.
struct Lattice {
  double base, step, most;
};

void RoundQuantiles(const Lattice& lattice, size_t count, float* quantiles);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_QUANTILES_H_
