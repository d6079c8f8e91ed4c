#ifndef AAREN_CLIENT_CLI_EVALUATE_EVALUATION_H_
#define AAREN_CLIENT_CLI_EVALUATE_EVALUATION_H_

// Evaluate scores a server's forecasts of whole series, each streamed from its first row through a session of its own.
// The session streams silently up to an origin, asks for a forecast there, and goes on to the last origin. An *origin*
// at row r has seen the rows before r and forecasts rows r .. r + horizon - 1. The *age* of an origin is the number of
// rows that its session has seen: r, or a constant set by EvaluationOptions, with a session for each origin.
//
// Row r itself is then streamed with a forecast, too, for the sake of the *surprise*: the place of the row's value in
// the forecast made for it at the origin, a step ahead.
//
// Threading: blocks; streams several series at once inside.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aaren/client/session_options.h"
#include "absl/status/statusor.h"
#include "client/cli/evaluate/scores.h"
#include "client/cli/evaluate/series_stream.h"
#include "client/cli/flags/refinement_flags.h"
#include "client/cli/terminal/interrupt.h"

namespace aaren::cli {

struct OriginOptions {
  size_t horizon = 24;
  std::optional<int64_t> start = {};    // first origin; negative: from the end; absent: at 80 % of the rows
  std::optional<int64_t> stride = {};   // rows between origins; absent: `windows` are spread over all rows, or 1
  std::optional<int64_t> windows = {};  // origins, at most; absent: all whose window ends within the rows
};

// The origins in a series of `rows` rows, ascending. INVALID_ARGUMENT without an origin.
absl::StatusOr<std::vector<size_t>> Origins(size_t rows, const OriginOptions& options);

// The covariates of all series of a file.
struct KnownCovariates {
  client::Covariates count;
  std::vector<float> rows = {};  // [rows, past + future], past covariates first; NaN: missing
};

struct EvaluatedSeries {
  std::string name;
  std::vector<double> values = {};             // NaN: missing
  std::vector<size_t> origins = {};            // at least an origin
  std::vector<size_t> samples = {};            // origins whose forecasts are kept, ascending
  std::vector<std::string> sample_times = {};  // times of the samples' first rows, from the file; empty: unknown
  std::shared_ptr<const KnownCovariates> covariates = {};  // null: none. At least as many rows as values
};

struct ScoredWindow {
  size_t origin;
  uint64_t age;
  WindowScore forecast, last_value, seasonal_naive, drift;
};

struct SampledForecast {
  size_t origin;
  std::vector<float> quantiles;  // [horizon, levels]
};

struct SeriesScores {
  ForecastScore forecast;
  ForecastScore last_value;
  ForecastScore seasonal_naive;
  ForecastScore drift;
  std::vector<ScoredWindow> windows = {};     // a window per origin, in order
  std::vector<SampledForecast> samples = {};  // kept forecasts, in order
  std::vector<double> surprises = {};         // surprise of the value at each origin's row, in order; NaN: missing
  std::vector<double> levels = {};            // levels of the quantiles, ascending
  std::string model = {};                     // name:version
};

struct EvaluationOptions {
  EvaluatedServer server = {};
  size_t horizon = 24;
  size_t season = 24;
  std::optional<uint64_t> age = {};  // tokens before a session's only origin; absent: all rows before the origin
  RefinementFlags refinement = {};
  std::vector<float> levels = {};  // quantile levels, ascending; empty: the model's
  bool covariates = true;          // streams the series' covariates, too; those known in advance up to the horizon
};

// Returns a score per series, in order. Any thread calls `progress` with the number of finished series. The sessions
// are deleted. CANCELLED if interrupted; INVALID_ARGUMENT if a series has an origin with fewer rows before it than the
// age; else the server's refusal, naming the series.
absl::StatusOr<std::vector<SeriesScores>> Evaluate(const std::vector<EvaluatedSeries>& series,
                                                   const EvaluationOptions& options, const Interrupt& interrupt,
                                                   const std::function<void(size_t)>& progress);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_EVALUATION_H_
