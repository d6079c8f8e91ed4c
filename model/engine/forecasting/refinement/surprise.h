#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SURPRISE_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SURPRISE_H_

// The place of an arriving value in the distribution forecast for that value: the probability integral transform, in
// [0, 1] (model/README.md, step 8). A place near 0 or 1 is a surprise.

#include <vector>

namespace aaren::engine {

// levels: the levels of the quantiles, ascending. quantiles: [levels.size()], not descending, or NaN if no forecast was
// made. Returns NaN if the value or the forecast is missing.
float Surprise(const std::vector<float>& levels, const float* quantiles, float value);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SURPRISE_H_
