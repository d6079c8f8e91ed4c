#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_PROBES_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_PROBES_H_

// Probes says when, and at which horizons, a session learns from its own forecasts (model/README.md, step 6).
//
// Every 17th token or so is a *probe*. The probe's forecast is kept for some *tracked* horizons until the values have
// arrived; the next probe judges the forecast by the values. Requests play no part: a probe's forecast is made even if
// nobody asks for the forecast. Threading: immutable.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/package/config.h"

namespace aaren::engine {

class Probes {
 public:
  // horizons: the tracked horizons, ascending, in 1 .. T.
  Probes(const package::ForecasterConfig& config, const std::vector<size_t>& horizons);

  struct Tracked {
    size_t step;   // horizon - 1
    size_t first;  // first place of this horizon's kept forecasts
    size_t kept;   // number of places: a forecast is judged at the kept-th probe after its own
  };

  const std::vector<Tracked>& tracked() const { return tracked_; }  // ascending
  size_t kept() const { return kept_; }                             // places of all tracked horizons together
  uint64_t every() const { return every_; }                         // tokens from probe to probe
  size_t under_way() const { return under_way_; }                   // most probes with a value still to come

  bool At(uint64_t seq) const { return (seq + 1) % every_ == 0; }
  // The number of the probe at token `seq`, from 0.
  uint64_t Number(uint64_t seq) const { return (seq + 1) / every_ - 1; }
  // The place of that probe's forecast for this horizon, among all kept.
  size_t Place(const Tracked& tracked, uint64_t probe) const { return tracked.first + probe % tracked.kept; }

  // Writes the values by which the probe at token `seq` judges: for each tracked horizon the value of the forecast
  // judged now. Writes values: [tracked], NaN where missing. `newest` points to the value of token `seq`.
  void Gather(uint64_t seq, const float* newest, float* values) const;

 private:
  uint64_t every_;
  size_t kept_ = 0;
  size_t under_way_;
  std::vector<Tracked> tracked_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_PROBES_H_
