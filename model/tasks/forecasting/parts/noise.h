#ifndef AAREN_MODEL_TASKS_FORECASTING_PARTS_NOISE_H_
#define AAREN_MODEL_TASKS_FORECASTING_PARTS_NOISE_H_

// The irregular part of a synthetic series: AR(1) to AR(3) with Gaussian or heavy-tailed (Student-t) innovations,
// stochastic volatility, and bursts and spikes to be added on top.

#include <vector>

#include "absl/types/span.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

// `length` values, mean 0 and deviation 1 over the length.
std::vector<double> RandomNoise(Random& random, int length);

// Adds rare excursions that decay or end after a while, mostly of one sign, several times `size` high.
void AddBursts(Random& random, double size, absl::Span<double> values);

// Adds rare single values far from the rest.
void AddSpikes(Random& random, double size, absl::Span<double> values);

// One to three times, one to three values in a row that a broken sensor sends: 30 to 1e6 times `size`.
void AddGlitches(Random& random, double size, absl::Span<double> values);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_PARTS_NOISE_H_
