#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_MIXTURE_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_MIXTURE_H_

// Mixture moves a forecast towards the naive forecasts that have done better lately. So a session is never worse than a
// naive forecast for long (model/README.md, step 6).
//
// The experts are the network and the four sources (season/sources.h). Horizons are grouped in octaves: 1, 2-3, 4-7,
// ... Each octave keeps each expert's mean absolute error over some of the octave's horizons, in units of the series'
// scale at the time. The mean forgets exponentially and remembers about 1,000 values. An expert's weight is a high
// power of the error, so the best expert has nearly all weight, and equal experts share. The power grows with the
// number of judgements. The last value's error counts a little less, because an expert no better than the last value is
// noise around the last value. The network's error counts a little less too. All quantiles of a step move by the shift
// of the median, the outermost by half of the shift.
//
// A row does not keep naive forecasts, but computes them again from the seasons that each probe chose. When a season
// changes, the errors of its sources start from the errors of the new lag, but not below the network's.
//
// State, in the row: float error [octaves, 5], then float median [kept], the network's; NaN for a number not yet known.
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
  static constexpr size_t kRenewals = season::kSourceCount - 1;  // the sources that are seasons

  explicit Mixture(const package::ForecasterConfig& config);

  const Probes& probes() const { return probes_; }
  size_t state_size() const { return octaves() * kExperts + probes_.kept(); }  // floats

  // Makes `state` a state that prefers the network alone.
  void Reset(float* state) const;

  // The size in floats of a probe's evidence. Evidence is the unit of errors; for each tracked horizon the value, and
  // each source's forecast of the value; and for each octave the starting errors of a new season's sources.
  size_t evidence_size() const { return 1 + probes_.tracked().size() * kExperts + octaves() * kRenewals; }  // floats

  // Writes the evidence of the probe at token `seq` to evidence: [evidence_size()]. The newest value of `past` is the
  // probe's. `chosen`: [probes().under_way()], the choices of earlier probes, each at the probe's number modulo
  // under_way(). `now`: the probe's own choice.
  void Gather(uint64_t seq, const season::Past& past, float level, const season::LagErrors& errors,
              const season::SeasonChoice* chosen, const season::SeasonChoice& now, float* evidence) const;

  // The evidence of a probe and the probe's unrefined forecast [T, Q]. Where only each `places`-th token has a value
  // (season/thinning.h), fewer probes judge, and each counts more.
  struct Lesson {
    const float* evidence;
    const float* forecast;
    int places = 1;
  };

  // Judges all experts by the evidence, then keeps medians of the probe's forecast.
  void Learn(uint64_t seq, const Lesson& lesson, float* state) const;

  // Mixes the network's forecast [T, Q] from token `seq` with the sources [4, T], in place. `unit` is the unit of
  // errors at that token (LagErrors). A source counts as at most 12 units from the network's median.
  void Mix(uint64_t seq, const float* state, float unit, const float* sources, float* forecast) const;

  // Mixes the quantiles [Q] of one step ahead with the sources [4] of that step, in place.
  void MixOneStep(uint64_t seq, const float* state, float unit, const float* sources, float* quantiles) const;

  // The kept medians, by place of probes().
  const float* Medians(const float* state) const { return state + octaves() * kExperts; }

  // The errors in the octave of step T: [5].
  const float* LastErrors(const float* state) const { return state + (octaves() - 1) * kExperts; }

  // Makes all kept medians `distance` less.
  void Shift(double distance, float* state) const;

  // DataLoss naming the number if no series can have left such a state after `seq` tokens.
  absl::Status Check(uint64_t seq, const float* state) const;

 private:
  size_t octaves() const { return first_.size() - 1; }
  void GatherSources(uint64_t seq, const season::Past& past, float level, const season::SeasonChoice* chosen,
                     float* sources) const;
  void GatherRenewals(uint64_t seq, const season::LagErrors& errors, const season::SeasonChoice& before,
                      const season::SeasonChoice& now, float* renewals) const;
  void Renew(const float* renewals, float* error) const;
  void Judge(uint64_t seq, size_t octave, const Lesson& lesson, const float* kept, float* error) const;
  bool AddMisses(size_t tracked, float median, const float* evidence, double* misses) const;
  double Foreseeable(const float* error, const double* misses, double known) const;
  // How many probes have judged this octave up to token `seq`, if no value was missing.
  uint64_t Judged(uint64_t seq, size_t octave) const;
  // Writes weights: [octaves, 5]; the five weights of an octave add up to 1.
  void WriteWeights(uint64_t seq, const float* state, float* weights) const;

  size_t horizon_;
  size_t quantiles_;
  Probes probes_;
  std::vector<size_t> first_;  // [octaves + 1]: index of each octave's first tracked horizon
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_MIXTURE_H_
