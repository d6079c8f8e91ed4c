#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_PROBES_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_PROBES_H_

// When and at which horizons a session learns from its own forecasts (model/README.md, step 6).
//
// Every few tokens is a *probe*: what is forecast from it is kept for some *tracked* horizons until their values have
// come, and judged by those at the next probe. What is asked for has no part in it: a probe's forecast is made even if
// nobody wants it. Threading: immutable.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/package/config.h"

namespace aaren::engine {

class Probes {
 public:
  // horizons: the tracked ones, ascending, in 1 .. T.
  Probes(const package::ForecasterConfig& config, const std::vector<size_t>& horizons);

  struct Tracked {
    size_t step;   // horizon - 1
    size_t first;  // of what is kept for it
    size_t kept;   // how many are: one is judged at the kept-th probe after its own
  };

  const std::vector<Tracked>& tracked() const { return tracked_; }  // ascending
  size_t kept() const { return kept_; }                             // of all tracked horizons together
  uint64_t every() const { return every_; }                         // tokens from probe to probe
  size_t under_way() const { return under_way_; }                   // probes whose last value has not come, at most

  bool At(uint64_t seq) const { return (seq + 1) % every_ == 0; }
  // The number of the probe at token `seq`, from 0.
  uint64_t Number(uint64_t seq) const { return (seq + 1) / every_ - 1; }
  // Where that probe keeps what is for this horizon, among all kept.
  size_t Place(const Tracked& tracked, uint64_t probe) const { return tracked.first + probe % tracked.kept; }

  // Of the probe at token `seq`, whose value is `*newest`: for each tracked horizon the value that what is judged now
  // was for. Writes values: [tracked], NaN where missing.
  void Gather(uint64_t seq, const float* newest, float* values) const;

 private:
  uint64_t every_;
  size_t kept_ = 0;
  size_t under_way_;
  std::vector<Tracked> tracked_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_PROBES_H_
