#ifndef AAREN_MODEL_ENGINE_ENGINE_H_
#define AAREN_MODEL_ENGINE_ENGINE_H_

// An Engine advances sessions: it folds new tokens into their rows and forecasts from them.
//
// A *row* is all that one series remembers between two steps, a fixed number of bytes. A *run* is one row and the
// tokens that arrived for it. A thread has a Lane of the engine: the rows are there, and there it submits any number of
// ragged runs as one batch (lane.h). Each run is treated as if it were alone. In either tier (tier.h) its results are
// the same bits on any machine, whatever else is in the batch and however a session's tokens are cut into batches.
//
// Units: values and forecasts are in the units of the series. Threading: an Engine is immutable, and any thread may use
// it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/engine/lane.h"
#include "model/package/package.h"

namespace aaren::engine {

// The bits of the engine: of any output and of any row. It changes whenever one of them may, for any package, and
// travels with rows: one of another number is not stepped on.
inline constexpr int kNumericsVersion = 7;

// How far a forecast goes from the network to what is served (model/README.md, steps 5 to 9).
enum class Refinement {
  kNetwork,     // as the network makes it
  kMixed,       // with the naive forecasts, by what the row has seen of their errors
  kCalibrated,  // and its quantiles corrected
  kRestricted,  // and taken to what the series can be
};

struct Run {
  Slot slot;                           // distinct within one batch
  absl::Span<const float> values;      // [tokens, what the task takes of one], tokens >= 1; never infinite. Of a
                                       // forecaster [tokens], NaN = missing
  absl::Span<const uint8_t> forecast;  // [tokens]; non-zero where a forecast is wanted
  float* forecasts = nullptr;          // out, float32 [number wanted, result_floats()], in token order
  float* surprises = nullptr;          // out, float32 [tokens], or null; NaN: none (model/README.md, step 8)
  Refinement refinement = Refinement::kRestricted;  // of forecasts; surprises go no further than kCalibrated
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string tier() const = 0;      // its name: "exact" or "fast"
  virtual size_t row_bytes() const = 0;      // a multiple of 64
  virtual size_t result_floats() const = 0;  // of one result of one row; [horizon, quantiles] of a forecaster

  // One thread's rows, `capacity_rows` at most, and its batches. Memory is taken as rows are.
  virtual std::unique_ptr<Lane> NewLane(size_t capacity_rows) const = 0;

  // Makes `row` (row_bytes() long, aligned to 8) the bytes of a series that has seen nothing.
  virtual void ResetRow(absl::Span<std::byte> row) const = 0;

  // The number of tokens a row has taken. DataLoss, naming the field, if `row` cannot be a row of this engine (wrong
  // length, NaN, impossible statistics, or an attention that these weights cannot reach), at any alignment. Rows that
  // come from outside are checked before they enter a lane. One that passes forecasts finite numbers only.
  virtual absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const = 0;

  // What a row, which CheckRow accepts, still knows of its series: its last values, the oldest first, NaN where one was
  // missing. The newest are exact, others within 1/65,534 of the range of those beside them. With them a row of other
  // weights can be made that goes on as this one. Empty where rows keep no values.
  virtual std::vector<float> Remembered(absl::Span<const std::byte> row) const = 0;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_ENGINE_H_
