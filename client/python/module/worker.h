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
#include "client/python/module/events.h"
#include "model/engine/engine.h"

namespace aaren::python {

class Model;
class Rows;

// The tokens of one session within the arrays of a batch.
struct Part {
  Rows* rows = nullptr;
  size_t begin = 0, end = 0;  // tokens
  size_t first_forecast = 0;  // place of the first wanted forecast
};

// The arrays of a batch, all of the caller's. Covariates and future ones are of the model (model.h). A batch of events
// has `events`, `wanted` and `surprises` alone.
struct Arrays {
  size_t channels = 1;
  size_t steps = 0, levels = 0;  // each forecast's
  const EventArrays* events = nullptr;
  const double* values = nullptr;   // [tokens, channels]; NaN = missing
  const uint8_t* wanted = nullptr;  // [tokens]; non-zero where a forecast is wanted
  // The steps and levels of forecasts; null: the first `steps` of the model's own forecasts, with the model's levels.
  const engine::Selection* selection = nullptr;
  const float* covariates = nullptr;  // [tokens, covariates], past ones first; NaN = missing; null: the model has none
  const float* ahead = nullptr;  // [wanted, steps, future]: future covariates; NaN = not known; null: none is known
  double* forecasts = nullptr;   // out, [wanted, channels, steps, levels], in the units of the series
  uint8_t* learning = nullptr;   // out, [wanted, channels]: 1 while surprises say little yet
  float* surprises = nullptr;    // out, [tokens, channels], or null
};

class Worker {
 public:
  explicit Worker(const Model& model);

  // Steps the parts' sessions. Cancelled once `stopped` says true, asked before every slice. REQUIRES: the caller holds
  // the rows' locks, and no session occurs twice.
  absl::Status Run(absl::Span<const Part> parts, const Arrays& arrays, absl::FunctionRef<bool()> stopped);

 private:
  // The tokens of a part that the next slice takes. Where a slice looks ahead, every token wants a forecast and has the
  // future covariates of the forecast's steps.
  struct Slice {
    size_t part = 0, begin = 0, end = 0, wanted = 0;
    bool ahead = false;
  };

  absl::Status Enter(absl::Span<const Part> parts, size_t channels);
  absl::Status Leave(absl::Span<const Part> parts, size_t channels);
  void Cut(absl::Span<const Part> parts, const Arrays& arrays);
  absl::Status Step(const Arrays& arrays);
  void CopyInputs(const Slice& slice, size_t channel, const Arrays& arrays, float* out) const;
  void Scatter(const Arrays& arrays);
  void PutForecast(const float* result, size_t place, const Arrays& arrays) const;
  size_t InputsOf(const Slice& slice, const Arrays& arrays) const;
  size_t ResultFloats(const Arrays& arrays) const;

  const size_t row_bytes_, forecast_floats_, result_floats_, covariates_, future_;
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
