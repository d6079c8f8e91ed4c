#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_CALIBRATION_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_CALIBRATION_H_

// Calibration corrects a series' forecasts by what it has seen of their mistakes. Each quantile then lies above the
// share of values that its level says, whatever the series does (adaptive conformal inference, Gibbs and Candes 2021;
// model/README.md, step 7).
//
// Tracked (probes.h) are the last horizon, its half, that one's half, ... and 1. Each has a correction theta per
// quantile, in units of the forecast's own spread there. A probe's forecast, corrected, is kept until its value has
// come, which then moves theta by a small step, up or down.
//
// State, in the row: float theta [tracked, Q], then float kept [kept forecasts, Q], NaN where there is none.
// Threading: immutable.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "model/engine/forecasting/refinement/probes.h"
#include "model/engine/forecasting/refinement/quantiles.h"
#include "model/package/config.h"

namespace aaren::engine {

class Calibration {
 public:
  explicit Calibration(const package::ForecasterConfig& config);

  const Probes& probes() const { return probes_; }
  size_t state_size() const { return state_size_; }  // floats

  // A state that corrects nothing.
  void Reset(float* state) const;

  // Of the probe at token `seq`: judges the kept forecasts by `values` (Probes::Gather), then keeps its own. forecast:
  // [T, Q], not corrected.
  void Learn(uint64_t seq, const float* values, const float* forecast, float* state) const;

  // Corrects a forecast [T, Q] in place; quantiles stay in order and finite.
  void Correct(const float* state, float* forecast) const;

  // Likewise the quantiles [Q] of one step ahead.
  void CorrectOneStep(const float* state, float* quantiles) const;

  // DataLoss naming the number if no series can have left such a state after `seq` tokens.
  absl::Status Check(uint64_t seq, const float* state) const;

 private:
  // Moves theta [Q] by one value.
  void Judge(double rate, float value, const float* kept, float* theta) const;
  void CorrectStep(const float* state, size_t step, float* quantiles) const;
  float* kept(float* state, const Probes::Tracked& tracked, uint64_t probe) const;

  std::vector<float> levels_;
  Probes probes_;
  std::vector<Between> steps_;  // [T]
  size_t state_size_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_CALIBRATION_H_
