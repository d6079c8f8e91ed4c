#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_LEVEL_PLACE_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_LEVEL_PLACE_H_

// A LevelPlace finds the quantile of any level in a forecast with a few levels (model/README.md, rules 8.16 to 8.20).
// The map from level to quantile is the inverse of the map from value to surprise (surprise.h). So the quantile of 0.01
// is the value whose surprise would be 0.01. Threading: a plain value.

#include <cstddef>
#include <vector>

namespace aaren::engine {

class LevelPlace {
 public:
  // levels: [Q], the levels of a forecast, ascending. `level` is in (0, 1).
  LevelPlace(const std::vector<float>& levels, float level);

  // The quantile of the level. quantiles: [Q], not descending; or NaN, and then so is the result.
  float In(const float* quantiles) const;

 private:
  size_t last_;         // Q - 1
  size_t low_, high_;   // the levels beside; equal where the level is one of the forecast's, or beyond all
  double share_ = 0.0;  // part of the way from low to high, or how many gaps beyond the outermost
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_LEVEL_PLACE_H_
