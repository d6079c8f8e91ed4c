#ifndef AAREN_MODEL_ENGINE_FORECASTING_EXTENSION_SECOND_VIEW_H_
#define AAREN_MODEL_ENGINE_FORECASTING_EXTENSION_SECOND_VIEW_H_

// The SecondView decides how far a forecast follows the second view of a series (model/README.md, section 17).
//
//   series ───────────────────► network, mixture ──► median b ──┐
//     └─► less its profile ───► network ──► + profile ► median v ──► b + weight (v - b)
//
// The weight of an octave of horizons is the least-squares coefficient of the errors of b on v - b, in [0, 1]. Before
// there is evidence, a share that grows with the session's age takes its place.
//
// State, in the row: floats. Threading: immutable.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/engine/forecasting/refinement/probes.h"

namespace aaren::engine {

class SecondView {
 public:
  // The weight before there is evidence, and how long evidence counts.
  struct Prior {
    double share;       // an old session's
    double judgements;  // that count as much as the share
    double memory;      // tokens after which evidence is forgotten
  };

  SecondView(const Probes& probes, const Prior& prior);

  size_t state_size() const { return next_ + 1; }  // floats
  void Reset(float* state) const;

  // The forecasts of one probe.
  struct Lesson {
    const float* values;   // [tracked], by which the probe judges; NaN where missing
    const float* medians;  // [tracked], of the mixed forecast
    const float* views;    // [tracked], of the second view; NaN where unknown
    float unit;            // unit of errors
  };

  // Judges what earlier probes kept, then keeps the medians of this probe.
  void Learn(uint64_t seq, const Lesson& lesson, float* state) const;

  // The share of the way to the second view that a forecast of `step` goes, in [0, 1].
  double WeightAt(uint64_t seq, const float* state, size_t step) const;

  // The way that a median goes to `view`. REQUIRES: the view is known.
  static float Way(double weight, float unit, float view, float median);

  // Moves the quantiles of some steps towards the second view, in place. forecast: [steps, levels]; view: [steps], NaN
  // where unknown. The first step is step 1.
  void Move(uint64_t seq, const float* state, float unit, absl::Span<const float> view, size_t levels,
            float* forecast) const;

  // The view's median of the step after the row's newest token; NaN if the row keeps no forecast.
  float& Next(float* state) const { return state[next_]; }

  // Makes all kept medians `distance` less.
  void Shift(double distance, float* state) const;

  // DataLoss naming the number if no series can have left such a state after `seq` tokens.
  absl::Status Check(uint64_t seq, const float* state) const;

 private:
  struct Evidence;
  Evidence& At(size_t octave, float* state) const;
  double Weight(uint64_t seq, const Evidence& evidence) const;
  void Judge(double error, double distance, Evidence& evidence) const;

  size_t OctaveOf(size_t step) const;

  Probes probes_;
  Prior prior_;
  size_t octaves_;
  size_t views_, medians_;  // where the kept medians begin: of the second view, of the mixed forecasts
  size_t units_;            // where the units of the probes under way begin
  size_t next_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_EXTENSION_SECOND_VIEW_H_
