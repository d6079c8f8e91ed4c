#ifndef AAREN_SERVER_TASK_CONVERSION_H_
#define AAREN_SERVER_TASK_CONVERSION_H_

// A Conversion is what the server must know of a kind of model: what an Open may ask of it, which fields its tokens
// carry, what of a result is sent. Sessions, queues, stores and messages ask it and know nothing of forecasting.
//
//   Open   ──► Resolve ──► OutputPlan          kept with the session
//   Tokens ──► CheckFields                     before any of them is folded
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

namespace aaren::task {

// A field of a message that the model cannot serve, by its path, and why.
struct BadField {
  std::string field;
  std::string problem;
};

// Fields of a Tokens item that only some tasks have.
struct TokenFields {
  bool marks = false;
  bool future_values = false;
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

  virtual Schema schema() const = 0;

  // The plan of a request, or the option that the model cannot give.
  virtual Resolved Resolve(const OutputRequest& request) const = 0;

  // The field that the model has no use for. Such tokens are refused: a client must not believe that it was read.
  virtual std::optional<BadField> CheckFields(const TokenFields& fields) const = 0;

  // How many numbers of a result, of one channel, the plan asks for.
  virtual size_t PlannedFloats(const OutputPlan& plan) const = 0;

  // Copies them from `result`, Engine::result_floats() numbers, to `out`. Returns the end of what it wrote.
  virtual float* CopyPlanned(const float* result, const OutputPlan& plan, float* out) const = 0;
};

// That of the package's kind.
std::unique_ptr<const Conversion> NewConversion(const package::ModelPackage& package);

}  // namespace aaren::task

#endif  // AAREN_SERVER_TASK_CONVERSION_H_
