#ifndef AAREN_MODEL_TASKS_FORECASTING_PARTS_NOISE_H_
#define AAREN_MODEL_TASKS_FORECASTING_PARTS_NOISE_H_

// The irregular part of a synthetic series: AR(1) to AR(3) with Gaussian or heavy-tailed (Student-t) innovations and
// stochastic volatility. Bursts, spikes and glitches are added separately.

#include <vector>

#include "absl/types/span.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

// `length` values, mean 0 and deviation 1 over the length.
std::vector<double> RandomNoise(Random& random, int length);

// Adds rare excursions, mostly of one sign and several times `size` high, which decay or end after a while.
void AddBursts(Random& random, double size, absl::Span<double> values);

// Adds rare single values far from all others.
void AddSpikes(Random& random, double size, absl::Span<double> values);

// Adds one to three runs of one to three values from a broken sensor: 30 to 1e6 times `size`.
void AddGlitches(Random& random, double size, absl::Span<double> values);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_PARTS_NOISE_H_
