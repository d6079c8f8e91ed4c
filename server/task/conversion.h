#ifndef AAREN_SERVER_TASK_CONVERSION_H_
#define AAREN_SERVER_TASK_CONVERSION_H_

// A Conversion is what the server must know of a kind of model: what an Open may ask of it, which fields its tokens
// carry, what of a result is sent. Sessions, queues, stores and messages ask it and know nothing of forecasting.
//
//   Open   ──► Resolve ──► OutputPlan          kept with the session
//   Tokens ──► CheckNumbers ──► CopyInputs     before any of them is folded; then what the engine takes
//   result ──► CopyPlanned(plan) ──► values    [horizon, quantiles] of a forecaster, or the part that was asked for
//
// It knows neither gRPC nor protobuf. A task is added as one more pair of files, and a line of NewConversion.
// Threading: immutable.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "model/package/package.h"
#include "server/task/output.h"
#include "server/task/token_numbers.h"

namespace aaren::task {

// A field of a message that the model cannot serve, by its path, and why.
struct BadField {
  std::string field;
  std::string problem;
};

struct Resolved {
  std::optional<BadField> bad;  // the plan is then of no use
  OutputPlan plan;
};

// What Models.Get says of the model's inputs and results.
struct Schema {
  std::vector<std::string> targets;  // names of the columns that are forecast
  uint32_t horizon = 0;
  absl::Span<const float> quantiles;  // the conversion's own
};

class Conversion {
 public:
  virtual ~Conversion() = default;

  // How many numbers of a token, of one channel, the engine takes: 1 of a forecaster, its value.
  size_t inputs() const { return inputs_; }

  virtual Schema schema() const = 0;

  // The plan of a request, or the option that the model cannot give.
  virtual Resolved Resolve(const OutputRequest& request) const = 0;

  // A field that the model has no use for, or whose length does not fit so many channels. Such tokens are refused: a
  // client must not believe that it was read. Times are checked elsewhere, for all tasks alike.
  virtual std::optional<BadField> CheckNumbers(const TokenNumbers& numbers, uint32_t channels) const = 0;

  // Writes what the engine takes, float32 [n, channels, inputs()]. REQUIRES: the numbers, of n tokens, were checked.
  virtual void CopyInputs(const TokenNumbers& numbers, uint32_t channels, float* out) const = 0;

  // How many numbers of a result, of one channel, the plan asks for.
  virtual size_t PlannedFloats(const OutputPlan& plan) const = 0;

  // Copies them from `result`, Engine::result_floats() numbers, to `out`. Returns the end of what it wrote.
  virtual float* CopyPlanned(const float* result, const OutputPlan& plan, float* out) const = 0;

  // What a result, of one channel, says of the next value, for those who look at a session.
  virtual Expected NextValue(const float* result) const = 0;

 protected:
  explicit Conversion(size_t inputs) : inputs_(inputs) {}

 private:
  const size_t inputs_;
};

// That of the package's kind.
std::unique_ptr<const Conversion> NewConversion(const package::ModelPackage& package);

}  // namespace aaren::task

#endif  // AAREN_SERVER_TASK_CONVERSION_H_
