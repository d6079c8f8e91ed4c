#ifndef AAREN_MODEL_ENGINE_CALIBRATION_H_
#define AAREN_MODEL_ENGINE_CALIBRATION_H_

// Calibration corrects a series' forecasts by what it has seen of their mistakes, so that each quantile lies above the
// share of values that its level says, whatever the series does (adaptive conformal inference, Gibbs and Candes 2021;
// model/README.md, step 6).
//
// Some horizons are *tracked*: the last one, its half, that one's half, ... and 1. Each has a correction theta per
// quantile, in units of the forecast's own spread there. Every few tokens is a *probe*: its forecast, corrected, is
// kept for each tracked horizon until its value has come, which then moves theta by a small step, up or down. What is
// asked for has no part in it: a probe's forecast is made even if nobody wants it.
//
// State, in the row: float theta [tracked, Q], then float kept [kept forecasts, Q], NaN where there is none.
// Threading: immutable.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "model/package/config.h"

namespace aaren {

class Calibration {
 public:
  explicit Calibration(const ForecasterConfig& config);

  size_t state_size() const { return state_size_; }  // floats
  size_t tracked() const { return tracked_.size(); }
  bool Probes(uint64_t seq) const { return (seq + 1) % every_ == 0; }

  // A state that corrects nothing.
  void Reset(float* state) const;

  // Of the probe `seq`, whose value is in the ring already: for each tracked horizon the value that the forecast to be
  // judged there was for. Writes values: [tracked], NaN where missing.
  void Gather(uint64_t seq, const float* ring, float* values) const;

  // Judges the kept forecasts by those values, then keeps the probe's own. forecast: [T, Q], as the network made it.
  void Learn(uint64_t seq, const float* values, const float* forecast, float* state) const;

  // Corrects a forecast [T, Q] in place; quantiles stay in order and finite.
  void Correct(const float* state, float* forecast) const;

  // Likewise the quantiles [Q] of one step ahead.
  void CorrectOneStep(const float* state, float* quantiles) const;

  // DataLoss naming the number if no series can have left such a state after `seq` tokens.
  absl::Status Check(uint64_t seq, const float* state) const;

 private:
  struct Tracked {
    size_t step;   // horizon - 1
    size_t first;  // of its kept forecasts
    size_t kept;   // how many there are: a forecast is judged at the kept-th probe after its own
  };

  // Where a step's theta comes from: theta of a tracked horizon and a part of the way to the next.
  struct Between {
    size_t low;
    float part;
  };

  // Moves theta [Q] by one value.
  void Judge(double rate, float value, const float* kept, float* theta) const;
  void CorrectStep(const float* state, const Between& between, float* quantiles) const;
  float* kept(float* state, const Tracked& tracked, uint64_t probe) const;

  std::vector<float> levels_;
  uint64_t ring_;
  uint64_t every_;  // tokens from probe to probe
  std::vector<Tracked> tracked_;
  std::vector<Between> steps_;  // [T]
  size_t state_size_;
};

}  // namespace aaren

#endif  // AAREN_MODEL_ENGINE_CALIBRATION_H_
