#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_MIXTURE_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_MIXTURE_H_

// Mixture moves a forecast towards whichever naive forecast of the series has done better lately. So a session never
// loses to one of them for long (model/README.md, step 6).
//
// The experts are the network and the four sources (season/sources.h). Horizons are taken in octaves: 1, 2-3, 4-7, ...
// Each octave keeps each expert's mean absolute error, over some of its horizons and in units of the series' scale at
// the time, which forgets exponentially, about 1,000 values long. An expert's weight is a high power of its error, so
// the best has nearly all of it, and equals share; the power grows with what was seen. The last value's error counts as
// a little less: what is no better than that is noise around it. All quantiles of a step move as far as its median.
//
// What naive forecasts said is not kept but computed again, from the seasons that each probe chose. When a season
// changes, the errors of its sources start from those of the new lag, and no better than the network's.
//
// State, in the row: float error [octaves, 5], then float median [kept], of the network; NaN where there is none.
// Threading: immutable.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "model/engine/forecasting/refinement/probes.h"
#include "model/package/config.h"
#include "model/season/seasons.h"
#include "model/season/sources.h"

namespace aaren::engine {

class Mixture {
 public:
  static constexpr size_t kExperts = 1 + season::kSourceCount;   // the network first
  static constexpr size_t kRenewals = season::kSourceCount - 1;  // of the sources that are seasons

  explicit Mixture(const package::ForecasterConfig& config);

  const Probes& probes() const { return probes_; }
  size_t state_size() const { return octaves() * kExperts + probes_.kept(); }  // floats

  // A state that prefers the network alone.
  void Reset(float* state) const;

  // What a probe judges by. That is the unit of errors and, for each tracked horizon, the value and what each source
  // had said of it. For each octave it is also what the errors of a new season's sources start from.
  size_t evidence_size() const { return 1 + probes_.tracked().size() * kExperts + octaves() * kRenewals; }  // floats

  // Of the probe at token `seq`, whose value is the newest of the past. `chosen`: [probes().under_way()], what the
  // probes before it chose, each at its number modulo that; `now`: what it chooses itself. Writes evidence:
  // [evidence_size()].
  void Gather(uint64_t seq, const season::Past& past, float level, const season::LagErrors& errors,
              const season::SeasonChoice* chosen, const season::SeasonChoice& now, float* evidence) const;

  // Judges by the evidence, then keeps the probe's forecast [T, Q], as the network made it.
  void Learn(uint64_t seq, const float* evidence, const float* forecast, float* state) const;

  // Mixes the network's forecast [T, Q] from token `seq` with these sources [4, T], in place. `unit`: of errors then
  // (LagErrors). What a source says counts no further than 12 of them from the network's median.
  void Mix(uint64_t seq, const float* state, float unit, const float* sources, float* forecast) const;

  // Likewise the quantiles [Q] of one step ahead, with sources [4] of that step.
  void MixOneStep(uint64_t seq, const float* state, float unit, const float* sources, float* quantiles) const;

  // DataLoss naming the number if no series can have left such a state after `seq` tokens.
  absl::Status Check(uint64_t seq, const float* state) const;

 private:
  size_t octaves() const { return first_.size() - 1; }
  void GatherSources(uint64_t seq, const season::Past& past, float level, const season::SeasonChoice* chosen,
                     float* sources) const;
  void GatherRenewals(uint64_t seq, const season::LagErrors& errors, const season::SeasonChoice& before,
                      const season::SeasonChoice& now, float* renewals) const;
  void Renew(const float* renewals, float* error) const;
  void Judge(uint64_t seq, size_t octave, const float* evidence, const float* kept, float* error) const;
  bool AddMisses(size_t tracked, float median, const float* evidence, double* misses) const;
  double Foreseeable(const float* error, const double* misses, double known) const;
  // How many probes this octave was judged by, had all values come.
  uint64_t Judged(uint64_t seq, size_t octave) const;
  // weights: [octaves, 5], each five of which add up to 1.
  void WriteWeights(uint64_t seq, const float* state, float* weights) const;

  size_t horizon_;
  size_t quantiles_;
  Probes probes_;
  std::vector<size_t> first_;  // [octaves + 1]: the first tracked horizon of each, among all
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_MIXTURE_H_
