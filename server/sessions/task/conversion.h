#ifndef AAREN_SERVER_SESSIONS_TASK_CONVERSION_H_
#define AAREN_SERVER_SESSIONS_TASK_CONVERSION_H_

// A Conversion knows a kind of model for the server: the options of an Open, the fields of tokens, and the parts of a
// result to send. Sessions, queues, stores and messages ask the Conversion and know nothing of forecasting.
//
//   Open   ──► Resolve ──► OutputPlan          kept with the session
//   Tokens ──► CheckNumbers ──► CopyInputs     before any token is folded; then the engine's inputs
//   result ──► CopyPlanned(plan) ──► values    [horizon, quantiles] of a forecaster, or the requested part
//
// A Conversion knows neither gRPC nor protobuf. A new task is one more pair of files, and a line of NewConversion.
// Threading: immutable.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "model/engine/forecast_result.h"
#include "model/package/package.h"
#include "server/sessions/task/output.h"
#include "server/sessions/task/token_numbers.h"

namespace aaren::task {

// A field of a message that the model cannot serve, by its path, and the reason.
struct BadField {
  std::string field;
  std::string problem;
};

struct Resolved {
  std::optional<BadField> bad;  // if set, the plan is void
  OutputPlan plan;
};

// The model's inputs and results for Models.Get.
struct Schema {
  std::vector<std::string> targets;  // names of the forecast columns; of a classifier, of the classes
  uint32_t horizon = 0;
  absl::Span<const float> quantiles = {};  // the conversion's own
  engine::Extension extension = {};
  uint32_t channels = 0;  // a token's, where the model fixes the number; else 0
};

// A result's numbers of the next event.
struct EventNumbers {
  std::vector<float> within;              // [results, spans]
  std::vector<uint32_t> marks;            // [results, marks], the likeliest first
  std::vector<float> mark_probabilities;  // [results, marks]
};

class Conversion {
 public:
  virtual ~Conversion() = default;

  // How many numbers of a token the engine takes for one series: 2 for a forecaster, the place of a double, and the
  // covariates. Numbers are copied as bits, and nobody else computes with the numbers.
  size_t inputs(const OutputPlan& plan) const { return inputs_ + plan.ahead; }

  // A session of `channels` channels has a row for each of its series. Each channel is a series of its own, but for
  // models that take several values of a token into one row. `channels` is 0 where an Open leaves the number out.
  virtual uint32_t values_per_series() const { return 1; }
  virtual uint32_t series(uint32_t channels) const { return std::max(1u, channels); }

  virtual Schema schema() const = 0;

  // The plan of a request, or the option that the model cannot give.
  virtual Resolved Resolve(const OutputRequest& request) const = 0;

  // The field of an Open that no session of the model can have.
  virtual std::optional<BadField> CheckSession(uint32_t /*channels*/, bool /*regular_times*/) const {
    return std::nullopt;
  }
  // True for extended rows.
  virtual bool extended() const { return false; }

  // True if a new session needs extended rows for this request.
  virtual bool NeedsExtended(const OutputRequest&) const { return false; }

  // A field unknown to the model, or with a length that does not fit `channels`. The server refuses the tokens: a
  // client must not believe that an unused field was read. Times are checked elsewhere, for all tasks alike.
  virtual std::optional<BadField> CheckNumbers(const TokenNumbers& numbers, uint32_t channels,
                                               const OutputPlan& plan) const = 0;

  // Writes the engine's inputs, float32 [n, channels, inputs(plan)]. REQUIRES: the numbers, of n tokens, were checked.
  virtual void CopyInputs(const TokenNumbers& numbers, uint32_t channels, const OutputPlan& plan, float* out) const = 0;

  // Inputs of `tokens` tokens of one channel, whose later forecasts are finite: to try an engine.
  virtual std::vector<float> SampleInputs(size_t tokens) const = 0;

  // How many numbers of a result the plan asks for, for one channel.
  virtual size_t PlannedFloats(const OutputPlan& plan) const = 0;

  // Copies the planned numbers from `result`, Engine::result_floats() and plan.selected() numbers, to `out`. They are
  // in the units of the series, or relative to TailOf(result) where the plan says so. Returns the end of the output.
  virtual float* CopyPlanned(const float* result, const OutputPlan& plan, float* out) const = 0;

  // Appends the plan's numbers of the next event. A model of other things appends nothing.
  virtual void AppendEvents(const float* /*result*/, const OutputPlan& /*plan*/, EventNumbers& /*out*/) const {}

  // The seconds after its token until a result calls the next event overdue, if the plan asks for that.
  virtual std::optional<double> SecondsUntilOverdue(const float* /*result*/, const OutputPlan& /*plan*/) const {
    return std::nullopt;
  }

  // The origin of a result, and if the session is learning.
  virtual engine::ResultTail TailOf(const float* result) const = 0;

  // The value in the inputs(plan) numbers of one channel's token, and the expectation of the next value in the result
  // of one channel: for watchers of a session.
  virtual float InputValue(const float* inputs) const = 0;
  virtual Expected NextValue(const float* result) const = 0;

 protected:
  explicit Conversion(size_t inputs) : inputs_(inputs) {}

 private:
  const size_t inputs_;
};

// The rows of a session.
struct RowForm {
  bool extended = false;
  engine::Extension extension = {};  // extended rows only
};

// The conversion of the package's kind, for sessions with such rows.
std::unique_ptr<const Conversion> NewConversion(const package::ModelPackage& package, const RowForm& rows = {});

}  // namespace aaren::task

#endif  // AAREN_SERVER_SESSIONS_TASK_CONVERSION_H_
