#ifndef AAREN_CLIENT_CLI_STREAM_FORECAST_LINES_H_
#define AAREN_CLIENT_CLI_STREAM_FORECAST_LINES_H_

// Writes a forecast as JSON, a line per series, always the same bytes for the same forecast:
//
//   {"seq":7,"time":"2024-01-01 07:00","series":"load","value":3.5,"surprise":0.41,"quantiles":{"0.1":[3.1,2.9],…}}
//
// time is null without a time column, value where it is missing, surprise where there is none. With a rule of alerts
// "surprise" is followed by "alert":true or "alert":false. While a session is learning, "surprise" is followed by
// "learning":true.
// Threading: a plain value.

#include <optional>
#include <string>
#include <vector>

#include "aaren/client/forecast.h"
#include "absl/types/span.h"
#include "client/cli/sources/row_source.h"
#include "client/cli/stream/alert.h"
#include "client/cli/stream/row_lines.h"

namespace aaren::cli {

class ForecastLines : public RowLines {
 public:
  ForecastLines(const std::vector<std::string>& series, absl::Span<const float> quantiles, bool has_times,
                std::optional<AlertRule> alert = {});

  // REQUIRES: forecast.values is [series, any horizons, quantiles], forecast.surprise empty or [series].
  void Append(const Row& row, const client::Forecast& forecast, std::string& out) const override;

 private:
  std::vector<std::string> series_;  // the names in JSON, between their neighbours
  std::vector<std::string> levels_;  // the levels in JSON, between their neighbours
  bool has_times_;
  std::optional<AlertRule> alert_;
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_STREAM_FORECAST_LINES_H_
