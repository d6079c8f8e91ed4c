#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_CALIBRATION_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_CALIBRATION_H_

// Calibration corrects a series' forecasts by the mistakes of earlier forecasts. After correction, the share of values
// below each quantile tends to the quantile's level, whatever the series does (adaptive conformal inference, Gibbs and
// Candes 2021; model/README.md, step 7).
//
// The tracked horizons (probes.h) are the last horizon, half of the last, half of the half, and so on down to 1. Each
// tracked horizon has a correction theta per quantile, in units of the forecast's own spread. A probe keeps its
// corrected forecast until the value forecast arrives. The value then moves theta by a small step, up or down.
//
// State, in the row: float theta [tracked, Q], then float kept [kept forecasts, Q], NaN for a forecast not yet kept.
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

  // Makes `state` a state that corrects nothing.
  void Reset(float* state) const;

  // Learns at the probe at token `seq`: judges the kept forecasts by `values` (from Probes::Gather), then keeps the
  // probe's own forecast. forecast: [T, Q], not corrected. Where only each `places`-th token has a value, each counts
  // more.
  void Learn(uint64_t seq, int places, const float* values, const float* forecast, float* state) const;

  // Corrects a forecast [T, Q] in place. The quantiles stay in order and finite.
  void Correct(const float* state, float* forecast) const;

  // Corrects the quantiles [Q] of one step ahead in place.
  void CorrectOneStep(const float* state, float* quantiles) const;

  // Makes all kept forecasts `distance` less.
  void Shift(double distance, float* state) const;

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
