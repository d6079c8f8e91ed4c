#ifndef AAREN_CLIENT_CLI_EVALUATE_EVALUATION_H_
#define AAREN_CLIENT_CLI_EVALUATE_EVALUATION_H_

// Evaluate scores a server's forecasts of whole series, each streamed from its first row through a session of its own.
// It streams silently up to an origin, asks for one forecast there, and so on to the last origin. An *origin* at row r
// has seen the rows before r and forecasts rows r .. r + horizon - 1. Its *age* is how many of them its session has
// seen: r, or, if EvaluationOptions say so, always the same, each origin then having a session of its own.
//
// Row r itself is then streamed and asks for a forecast too, for the sake of the *surprise* that comes with it. That is
// where its value fell in what was forecast for it, one step ahead, at the origin.
//
// Threading: blocks; several series at once inside.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aaren/client/channel.h"
#include "absl/status/statusor.h"
#include "client/cli/evaluate/scores.h"
#include "client/cli/flags/refinement_flags.h"
#include "client/cli/terminal/interrupt.h"

namespace aaren::cli {

struct OriginOptions {
  size_t horizon = 24;
  std::optional<int64_t> start = {};    // first origin; negative: from the end; absent: at 80 % of the rows
  std::optional<int64_t> stride = {};   // rows between origins; absent: `windows` are spread over all rows, or 1
  std::optional<int64_t> windows = {};  // origins, at most; absent: all whose window ends within the rows
};

// The origins in a series of so many rows, ascending. INVALID_ARGUMENT if there is none.
absl::StatusOr<std::vector<size_t>> Origins(size_t rows, const OriginOptions& options);

struct EvaluatedSeries {
  std::string name;
  std::vector<double> values = {};             // NaN: missing
  std::vector<size_t> origins = {};            // at least one
  std::vector<size_t> samples = {};            // those of them whose forecasts are kept, ascending
  std::vector<std::string> sample_times = {};  // of the samples' first rows, as the file has them; empty: unknown
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
  std::vector<ScoredWindow> windows = {};     // one per origin, in their order
  std::vector<SampledForecast> samples = {};  // likewise
  std::vector<double> surprises = {};         // likewise: of the value at each origin's row; NaN: missing
  std::vector<double> levels = {};            // of the quantiles, ascending
  std::string model = {};                     // name:version
};

struct EvaluationOptions {
  std::string target = {};
  client::ChannelOptions channel = {};
  std::string model = {};  // empty: the server's default
  size_t horizon = 24;
  size_t season = 24;
  std::optional<uint64_t> age = {};  // tokens that a session sees before its only origin; absent: all rows before it
  RefinementFlags refinement = {};
  absl::Duration connect_timeout = absl::Seconds(30);
};

// One score per series, in their order. `progress` hears how many series are done, from any thread. The sessions are
// deleted. CANCELLED if interrupted; INVALID_ARGUMENT if a series has an origin with fewer rows before it than the age;
// else what the server refused, naming the series.
absl::StatusOr<std::vector<SeriesScores>> Evaluate(const std::vector<EvaluatedSeries>& series,
                                                   const EvaluationOptions& options, const Interrupt& interrupt,
                                                   const std::function<void(size_t)>& progress);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_EVALUATION_H_
