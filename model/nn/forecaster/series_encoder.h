#ifndef AAREN_MODEL_NN_FORECASTER_SERIES_ENCODER_H_
#define AAREN_MODEL_NN_FORECASTER_SERIES_ENCODER_H_

// SeriesEncoder takes one series value by value, like a row of the engine, and writes the inputs of chosen tokens
// (model/README.md, steps 1 and 2, and "Seasonal inputs"). Values pass through a row's memory, which rounds old values.
// The unit of errors and the seasons change at probes. Values are kept relative to an origin, as in a row: floats tell
// moves of 10 around 1e9 apart. The arithmetic is in double and lacks the engine's bits.
//
// Threading: a plain value.

#include <cstdint>
#include <vector>

#include "model/engine/forecasting/refinement/probes.h"
#include "model/math/scaling.h"
#include "model/math/statistics.h"
#include "model/package/config.h"
#include "model/season/lag_errors.h"
#include "model/season/seasons.h"
#include "model/season/value_memory.h"

namespace aaren::nn {

// The place for one token's input.
struct TokenPlace {
  double* features;  // [U]: arguments of asinh for the ring and two summaries, of log for the next two
  double* center;    // origin + mu
  double* scale;     // > 0
  double* spread;    // square of the scale without its floor; 0 if undetermined
  int64_t* gap;      // values missing after the newest present
  float* sources;    // [4, T]; like residuals, only with config.seasons
  float* residuals;  // [3, 24], newest first, 0 where missing
};

class SeriesEncoder {
 public:
  explicit SeriesEncoder(const package::ForecasterConfig& config);

  // Takes a value; NaN if missing.
  void Take(double value) { Take(value, nullptr); }

  // Takes a value in the same way, and writes the token's input.
  void Take(double value, const TokenPlace& place) { Take(value, &place); }

 private:
  void Take(double value, const TokenPlace* place);
  void MoveOrigin();
  void AddToken(bool probes, const TokenPlace* place);
  void WriteSeasons(const float* newest, const math::Scaling& scaling, const TokenPlace& place) const;

  const package::ForecasterConfig& config_;
  const engine::Probes probes_;
  uint64_t seq_ = 0;
  double origin_ = 0;
  math::Statistics running_{};
  season::Bounds bounds_{};
  season::ValueMemory memory_;
  season::ValueMemory::Window window_;
  season::LagErrors errors_;
  season::SeasonChoice choice_;
  std::vector<double> ring_;
};

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_SERIES_ENCODER_H_
