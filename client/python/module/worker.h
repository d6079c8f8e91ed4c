#ifndef AAREN_CLIENT_PYTHON_MODULE_WORKER_H_
#define AAREN_CLIENT_PYTHON_MODULE_WORKER_H_

// A Worker is a lane of the engine and the memory through which a group of sessions passes:
//
//   bytes of the sessions ──Write──► slots ──Submit, slice by slice──► slots ──Read──► bytes of the sessions
//                                              │
//                                              └──► forecasts and surprises, into the caller's arrays
//
// A session's bytes change only when the session's whole run is done, so a run that was interrupted or failed leaves
// no trace. Slices bound the memory of forecasts; no result depends on the slices (engine.h).
//
// Threading: one thread at a time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/engine/engine.h"

namespace aaren::python {

class Rows;

// The tokens of one session within the arrays of a batch.
struct Part {
  Rows* rows = nullptr;
  size_t begin = 0, end = 0;  // tokens
  size_t first_forecast = 0;  // place of the first wanted forecast
};

// The arrays of a batch, all of the caller's.
struct Arrays {
  size_t channels = 1;
  size_t horizon = 0;               // steps kept of each forecast
  const double* values = nullptr;   // [tokens, channels]; NaN = missing
  const uint8_t* wanted = nullptr;  // [tokens]; non-zero where a forecast is wanted
  double* forecasts = nullptr;      // out, [wanted, channels, horizon, quantiles], in the units of the series
  uint8_t* learning = nullptr;      // out, [wanted, channels]: 1 while surprises say little yet
  float* surprises = nullptr;       // out, [tokens, channels], or null
};

class Worker {
 public:
  Worker(const engine::Engine& engine, size_t horizon, size_t quantiles);

  // Steps the parts' sessions. Cancelled once `stopped` says true, asked before every slice. REQUIRES: the caller holds
  // the rows' locks, and no session occurs twice.
  absl::Status Run(absl::Span<const Part> parts, const Arrays& arrays, absl::FunctionRef<bool()> stopped);

 private:
  // The tokens of a part that the next slice takes.
  struct Slice {
    size_t part = 0, begin = 0, end = 0, wanted = 0;
  };

  absl::Status Enter(absl::Span<const Part> parts, size_t channels);
  absl::Status Leave(absl::Span<const Part> parts, size_t channels);
  void Cut(absl::Span<const Part> parts, const Arrays& arrays);
  absl::Status Step(const Arrays& arrays);
  void Scatter(const Arrays& arrays);

  const size_t row_bytes_, quantiles_, forecast_floats_, result_floats_;
  const std::unique_ptr<engine::Lane> lane_;
  std::vector<engine::Slot> slots_;       // [parts, channels] and more
  std::vector<size_t> at_, forecast_at_;  // for each part: the next token, the place of the next forecast
  std::vector<Slice> slices_;
  std::vector<engine::Run> runs_;  // [slices, channels]
  std::vector<engine::RowRead> reads_;
  std::vector<engine::RowWrite> writes_;
  std::vector<float> values_, results_, surprises_;
};

}  // namespace aaren::python

#endif  // AAREN_CLIENT_PYTHON_MODULE_WORKER_H_
