#ifndef AAREN_MODEL_ENGINE_FORECASTING_EXTENSION_COVARIATES_H_
#define AAREN_MODEL_ENGINE_FORECASTING_EXTENSION_COVARIATES_H_

// Covariates learns what the numbers beside a series do to the series (model/README.md, section 16).
//
//   value y ──► x = y - effect of the token's future covariates ──► memory, network, refinement ──► forecast of x
//   forecast of y at step h = forecast of x + effect of the future covariates at step h + effect of the past covariates
//
// The effects are linear. The coefficients come from a recursive least squares regression with forgetting and ridge:
// the model's errors over the last tokens are regressed on what the covariates did over these tokens. So a coefficient
// stands for what the covariate tells beyond the season and level that the model sees by itself. A coefficient counts
// as far as the errors show that it is not 0 by chance.
//
// Future covariates change x itself. A past covariate is not known at the step, so its value now moves the forecast.
//
// State, in the row: doubles, then floats; aligned to 8 bytes. Threading: immutable.

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/engine/engine.h"
#include "model/engine/forecasting/refinement/probes.h"

namespace aaren::engine {

class Covariates {
 public:
  static constexpr size_t kMost = kMostCovariates;

  // `every`: tokens from probe to probe.
  Covariates(size_t past, size_t future, uint64_t every) : past_(past), count_(past + future), every_(every) {}

  size_t count() const { return count_; }
  size_t past() const { return past_; }
  size_t future() const { return count_ - past_; }

  size_t state_bytes() const { return doubles() * sizeof(double) + (every_ + 1) * count_ * sizeof(float); }
  void Reset(std::byte* state) const;

  // Takes the covariates of token `seq`, [count()], past ones first, NaN where missing. Returns the effect of the
  // future covariates, which is not part of x.
  double Take(uint64_t seq, const float* now, std::byte* state) const;

  // Writes the effect at each of `steps` to out: [steps]. ahead: [steps, future()], NaN where not known: a covariate
  // then stays as it is at token `seq`. Null: nothing is known. REQUIRES: Take was the last call.
  void WriteEffects(uint64_t seq, absl::Span<const uint32_t> steps, const float* ahead, const std::byte* state,
                    float* out) const;

  // How the model's forecasts made at the last probe missed.
  struct Misses {
    absl::Span<const Probes::Tracked> horizons;  // the mixture's
    const float* values;                         // [horizons], what came; NaN where missing
    const float* medians;                        // the mixture's kept medians, by place
    const Probes& probes;
    float unit;  // unit of errors
  };

  // Learns at the probe at token `seq`, before the probe's own medians are kept.
  void Learn(uint64_t seq, const Misses& misses, std::byte* state) const;

  // DataLoss naming the number if no session can have left such a state.
  absl::Status Check(const std::byte* state) const;

 private:
  struct Sums;
  size_t pairs() const { return count_ * (count_ + 1) / 2; }
  size_t doubles() const { return pairs() + 3 * count_ + 2; }
  Sums SumsIn(std::byte* state) const;
  const float* Ring(const std::byte* state, uint64_t seq) const;
  void AddSample(const Misses& misses, uint64_t seq, size_t horizon, double error, std::byte* state) const;
  void Solve(std::byte* state) const;

  size_t past_, count_;
  uint64_t every_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_EXTENSION_COVARIATES_H_
