#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SURPRISE_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SURPRISE_H_

// The place of an arriving value in the distribution forecast for that value: the probability integral transform, in
// [0, 1] (model/README.md, step 8). A place near 0 or 1 is a surprise.

#include <cstddef>
#include <vector>

namespace aaren::engine {

// The range of a surprise in a series of few possible values. The quantiles of a flag that is up a tenth of the time
// are all 0, and say nothing of the share of 1. So a value is no more surprising than its share among the values that
// the session remembers: half of the share itself, and the shares of all values further out.
struct SurpriseRange {
  float least = 0.0f, most = 1.0f;

  // Sets the range of `value` from the `count` newest values, NaN where missing. Values less than span / 2 apart are
  // equal.
  void Count(const float* newest, size_t count, float value, double span);

  // NaN stays.
  float Apply(float surprise) const {
    const float above = surprise < least ? least : surprise;
    return above > most ? most : above;
  }
};

// levels: the levels of the quantiles, ascending. quantiles: [levels.size()], not descending, or NaN if no forecast was
// made. Returns NaN if the value or the forecast is missing.
float Surprise(const std::vector<float>& levels, const float* quantiles, float value);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SURPRISE_H_
