#ifndef AAREN_MODEL_ENGINE_ENGINE_H_
#define AAREN_MODEL_ENGINE_ENGINE_H_

// An Engine advances sessions: the engine folds new tokens into the sessions' rows and forecasts from the rows.
//
// A *row* holds everything that one series remembers between two steps, in a fixed number of bytes. A *run* is one row
// and the tokens that arrived for the row. Each thread has a Lane of the engine, which owns rows and steps any number
// of ragged runs as one batch (lane.h). Each run is treated as if alone. In either tier (tier.h) the results have the
// same bits on any machine and in any batch, however a session's tokens are cut into batches.
//
// Units: values and forecasts are in the units of the series. Threading: an Engine is immutable; any thread may use it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/engine/lane.h"
#include "model/engine/tier.h"
#include "model/package/package.h"

namespace aaren::engine {

// The numbers of the engine's bits, one for each kind of model. A kind's number changes whenever a bit of an output or
// a row may change, for any package of the kind. The number travels with rows, and an engine steps only on rows of its
// own number. So a change of one kind's bits leaves the sessions of the other kinds usable.
inline constexpr int kForecasterNumerics = 9, kEventNumerics = 9, kClassificationNumerics = 8;

// The number of a kind of package::kKinds.
inline int NumericsVersion(absl::string_view kind) {
  if (kind == package::kEvents) return kEventNumerics;
  return kind == package::kClassification ? kClassificationNumerics : kForecasterNumerics;
}

// How far a forecast is refined between the network and the client (model/README.md, steps 5 to 9).
enum class Refinement {
  kNetwork,     // the network's forecast
  kMixed,       // mixed with the naive forecasts, by the errors the row has seen
  kCalibrated,  // mixed, and the quantiles corrected
  kRestricted,  // calibrated, and restricted to values that the series can take
};

// The scale of a session of events, as far as the client knows the scale; 0: unknown.
struct EventScale {
  int64_t unit_ns = 0;        // the usual interval, which a row without events begins with
  int64_t resolution_ns = 0;  // times are multiples: for surprises
  auto operator<=>(const EventScale&) const = default;
};

// The last step of a forecast from an extended row (tier.h).
inline constexpr uint32_t kFarHorizon = 1024;

// Steps ahead and levels of quantiles that a result is to have beyond the model's own.
struct Selection {
  std::vector<uint32_t> steps;  // from 1 on, ascending
  std::vector<float> levels;    // in (0, 1), ascending

  size_t floats() const { return steps.size() * levels.size(); }
};

struct Run {
  Slot slot;                           // distinct within one batch
  absl::Span<const float> values;      // [tokens, numbers the task takes of a token], tokens >= 1; never infinite. A
                                       // forecaster takes a float of a token, or a double in the place of two floats
                                       // (forecast_result.h); NaN = missing. A token with covariates has the double,
                                       // the covariates, past ones first, and the future covariates at the selected
                                       // steps, [steps, future]. A forecaster of events takes three numbers
                                       // (events/event_token.h). No code but the task's looks at the values
  absl::Span<const uint8_t> forecast;  // [tokens]; non-zero where a forecast is wanted
  float* forecasts = nullptr;          // out, float32 [number wanted, result_floats()], in token order. A forecaster's
                                       // are missing before the first value. With a selection each result is followed
                                       // by [steps, levels] floats
  float* surprises = nullptr;          // out, float32 [tokens], or null; NaN: none (model/README.md, step 8)
  Refinement refinement = Refinement::kRestricted;  // refines forecasts; surprises stop at kCalibrated
  const Selection* selection = nullptr;             // in place until the batch is done; null: none
  EventScale scale = {};                            // the scale of a session of events
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string tier() const = 0;      // the tier's name: "exact" or "fast"
  virtual size_t row_bytes() const = 0;      // a multiple of 64
  virtual size_t result_floats() const = 0;  // floats in one result of one row; a forecaster's: forecast_result.h

  // An engine of the same weights for rows with the extension; null: rows of this engine cannot be extended.
  virtual std::unique_ptr<Engine> Extended(const Extension&) const { return nullptr; }

  // A lane for one thread, with `capacity_rows` rows at most. The lane takes memory only as rows are allocated.
  virtual std::unique_ptr<Lane> NewLane(size_t capacity_rows) const = 0;

  // Makes `row` the row of a series that has seen nothing. `row` is row_bytes() long and aligned to 8.
  virtual void ResetRow(absl::Span<std::byte> row) const = 0;

  // The number of tokens that a row has taken. DataLoss, naming the field, if `row` cannot be a row of this engine: a
  // wrong length, a NaN, impossible statistics, or an attention that these weights cannot reach. `row` may have any
  // alignment. Rows from outside are checked before they enter a lane. A row that passes the check forecasts finite
  // numbers only.
  virtual absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const = 0;

  // The values that a row still remembers of its series, the oldest first, NaN where missing. The newest are exact,
  // others within 1/65,534 of the range of their block. The values let a row of other weights be made that continues
  // this series. Empty if rows keep no values. REQUIRES: CheckRow accepts the row.
  virtual std::vector<double> Remembered(absl::Span<const std::byte> row) const = 0;

  // Writes the result after the row's newest token, result_floats() numbers. False: the row keeps no result, or none of
  // its kind of model does. REQUIRES: CheckRow accepts the row.
  virtual bool NewestResult(absl::Span<const std::byte> /*row*/, float* /*result*/) const { return false; }
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_ENGINE_H_
