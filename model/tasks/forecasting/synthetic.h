#ifndef AAREN_MODEL_TASKS_FORECASTING_SYNTHETIC_H_
#define AAREN_MODEL_TASKS_FORECASTING_SYNTHETIC_H_

// The generator of training series. A series is trend and season, their sum or with amplitudes that follow the level,
// or the path of a Gaussian process, plus noise (trend.h, season.h, gaussian_process.h, noise.h), in random
// proportions, in some the noise growing with the level or the whole an exponential; then other regimes, bursts and
// spikes; then what measuring does to it: smoothing, clipping, counts, intermittency, holding, rounding; and last gaps.
// No real series is used anywhere, so a model trained on these alone is zero-shot on every real one.

#include <cstdint>
#include <vector>

namespace aaren {

// Series number `index` of the endless family of `seed`: `length` values, NaN where missing, at least one present, all
// of magnitude below 1e9. The same arguments give the same values; another length gives another series.
std::vector<double> SyntheticSeries(uint64_t seed, uint64_t index, int length);

}  // namespace aaren

#endif  // AAREN_MODEL_TASKS_FORECASTING_SYNTHETIC_H_
