#include "client/cli/stream/forecast_lines.h"

#include <limits>

#include "client/cli/terminal/json.h"

namespace aaren::cli {

ForecastLines::ForecastLines(const std::vector<std::string>& series, absl::Span<const float> quantiles, bool has_times,
                             std::optional<AlertRule> alert)
    : has_times_(has_times), alert_(alert) {
  // The constant parts are written once: a line is made for each token and series.
  for (const std::string& name : series) {
    std::string& text = series_.emplace_back(",\"series\":");
    AppendJson(name, text);
    text += ",\"value\":";
  }
  for (float level : quantiles) {
    std::string& text = levels_.emplace_back(levels_.empty() ? "\"" : ",\"");
    AppendJson(level, text);
    text += "\":[";
  }
}

void ForecastLines::Append(const Row& row, const client::Forecast& forecast, std::string& out) const {
  const size_t levels = levels_.size();
  const size_t horizons = forecast.values.size() / (series_.size() * levels);
  std::string head = "{\"seq\":";
  AppendJson(forecast.seq, head);
  head += ",\"time\":";
  AppendJson(has_times_ ? std::optional(row.time) : std::nullopt, head);
  for (size_t channel = 0; channel < series_.size(); ++channel) {
    out += head;
    out += series_[channel];
    AppendJson(row.values[channel], out);
    const float surprise =
        forecast.surprise.empty() ? std::numeric_limits<float>::quiet_NaN() : forecast.surprise[channel];
    out += ",\"surprise\":";
    AppendJson(surprise, out);
    const bool learning = forecast.IsLearning(channel);
    if (learning) out += ",\"learning\":true";
    const bool alert = alert_ && alert_->Judges(learning) && alert_->IsAlert(surprise);
    if (alert_) out += alert ? ",\"alert\":true" : ",\"alert\":false";
    out += ",\"quantiles\":{";
    for (size_t level = 0; level < levels; ++level) {
      out += levels_[level];
      for (size_t h = 0; h < horizons; ++h) {
        if (h > 0) out += ',';
        const float value = forecast.values[(channel * horizons + h) * levels + level];
        AppendJsonSum(forecast.offsets.empty() ? 0.0 : forecast.offsets[channel], value, out);
      }
      out += ']';
    }
    out += "}}\n";
  }
}

}  // namespace aaren::cli
