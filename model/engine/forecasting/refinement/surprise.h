#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SURPRISE_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SURPRISE_H_

// Where an arriving value falls in the distribution that was forecast for it: its probability-integral value in [0, 1]
// (model/README.md, step 8). Near 0 or 1 it is a surprise.

#include <vector>

namespace aaren::engine {

// levels: of the quantiles, ascending. quantiles: [levels.size()], not descending, or NaN for no forecast. NaN if
// anything is missing.
float Surprise(const std::vector<float>& levels, const float* quantiles, float value);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SURPRISE_H_
