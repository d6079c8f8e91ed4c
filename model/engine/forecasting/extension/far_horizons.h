#ifndef AAREN_MODEL_ENGINE_FORECASTING_EXTENSION_FAR_HORIZONS_H_
#define AAREN_MODEL_ENGINE_FORECASTING_EXTENSION_FAR_HORIZONS_H_

// FarHorizons carries a forecast on beyond the model's last step, up to step 1,024 (model/README.md, section 15).
//
//   T      64      96         168                336                              720            1,024
//   ├───────┼───────┼──────────┼──────────────────┼────────────────────────────────┼──────────────┤
//   network   knots: at each, the errors of five naive forecasts, and the quantiles of the errors of their mixture
//
// The median is a mixture of the four sources (season/sources.h) and the series' mean, weighted by their errors at the
// knots. The difference between the model's forecast and the mixture at step T fades out, so the forecast has no jump.
// The quantiles around the median are those of the errors that the session has seen at the knots.
//
// A probe keeps the medians of the knots, its seasons and its mean, until the values have come. State, in the row:
// floats, and season choices in the place of a float each. Threading: immutable.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/engine/engine.h"
#include "model/engine/forecasting/extension/second_view.h"
#include "model/engine/forecasting/refinement/probes.h"
#include "model/package/config.h"
#include "model/season/seasons.h"
#include "model/season/sources.h"

namespace aaren::engine {

class FarHorizons {
 public:
  static constexpr size_t kLast = kFarHorizon;                // steps ahead
  static constexpr size_t kJudged = 4;                        // horizons about a knot by which words are judged
  static constexpr size_t kWords = season::kSourceCount + 1;  // the sources, then the mean

  // True if the model leaves steps to forecast beyond its own.
  static bool Fits(const package::ForecasterConfig& config);

  // `half`: forecasts follow the half-rate view of a row with a profile, too. REQUIRES: Fits(config).
  FarHorizons(const package::ForecasterConfig& config, bool half);

  size_t state_size() const { return half_at_ + (half_ ? half_->state_size() : 0); }          // floats
  size_t evidence_size() const { return 1 + probes_.tracked().size() * evidence_of_knot(); }  // floats

  void Reset(float* state) const;

  // The model's own forecast, from which the far steps go on.
  struct Near {
    const float* forecast;  // [T, Q]
    const float* sources;   // [4, T], naive forecasts of the same steps
    const float* errors;    // [5], the mixture's errors in the octave of step T: of the network, then of the sources
    float unit;             // unit of the errors
    float mean;             // the series' mean
    absl::Span<const float> half = {};  // [kLast], medians of the half-rate view; NaN where unknown; empty: no view
  };

  // Writes the evidence of the probe at token `seq` to evidence: [evidence_size()], and keeps the probe's choice and
  // mean. `past` is the series up to the probe.
  void Gather(uint64_t seq, const season::Past& past, float mean, float unit, const season::SeasonChoice& choice,
              float* state, float* evidence) const;

  // Judges what an earlier probe kept for each knot, then keeps the medians of this probe.
  void Learn(uint64_t seq, const Near& near, const float* evidence, float* state) const;

  // Writes the quantiles of some steps beyond T, ascending, to out: [steps, Q]. sources: [4, kLast].
  void Extend(uint64_t seq, const Near& near, const float* sources, absl::Span<const uint32_t> steps,
              const float* state, float* out) const;

  // Makes all kept numbers `distance` less.
  void Shift(double distance, float* state) const;

  // DataLoss naming the number if no series can have left such a state after `seq` tokens.
  absl::Status Check(uint64_t seq, const float* state) const;

 private:
  // The weights of the words at step T and at each knot, and the fading difference.
  struct Course;
  double Moved(uint64_t seq, const Near& near, size_t step, double median, const float* state) const;

  // A knot has the value that came at the knot, the words now, and for some horizons about, the value that came and
  // the words for the value.
  static constexpr size_t evidence_of_knot() { return 1 + kWords + kJudged * (1 + kWords); }
  size_t places() const { return probes_.tracked().back().kept; }
  uint64_t Judged(uint64_t seq, size_t knot) const;
  Course CourseOf(uint64_t seq, const Near& near, const float* state) const;
  double Median(const Course& course, size_t step, const float* words, size_t stride) const;
  float Offset(const Near& near, const float* state, size_t step, size_t level) const;
  void Judge(uint64_t seq, size_t knot, const Near& near, const float* evidence, float* state) const;

  size_t horizon_;
  std::vector<float> levels_;
  Probes probes_;                         // the knots
  size_t offsets_;                        // where the quantiles of errors begin: [knots, Q]
  size_t medians_;                        // where the kept medians begin
  size_t means_;                          // where the kept means begin; the kept choices follow
  std::optional<SecondView> half_;        // rows with a half-rate view only
  size_t half_at_;                        // where the numbers of half_ begin
  std::vector<float> fading_, fleeting_;  // by step - T: the shares of the differences that are left
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_EXTENSION_FAR_HORIZONS_H_
