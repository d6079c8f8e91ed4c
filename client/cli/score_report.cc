#include "client/cli/score_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"
#include "client/cli/json.h"

namespace aaren::cli {
namespace {

using Forecaster = ForecastScore SeriesScores::*;

ScoreLine LineOf(const ForecastScore& score) { return {score.mase(), score.wql(), score.coverage80()}; }

ScoreLine MeanOf(const std::vector<SeriesScores>& scores, Forecaster forecaster) {
  ForecastScore pooled = scores[0].*forecaster;
  double sum = 0;
  uint64_t count = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    const ForecastScore& score = scores[i].*forecaster;
    if (i > 0) pooled.Pool(score);
    if (std::isnan(score.mase())) continue;
    sum += score.mase();
    ++count;
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  return {count == 0 ? none : sum / static_cast<double>(count), pooled.wql(), pooled.coverage80()};
}

void AppendPair(const char* key, const ScoreLine& line, JsonObject& object, std::string& out) {
  object.Key(key);
  JsonObject(out).Add("mase", line.mase).Add("wql", line.wql).Close();
}

// Characters, not bytes: a name is UTF-8.
size_t Width(const std::string& name) {
  const auto begins = [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; };
  return static_cast<size_t>(std::count_if(name.begin(), name.end(), begins));
}

std::string Number(double value) { return std::isnan(value) ? "-" : absl::StrFormat("%.4f", value); }

}  // namespace

std::vector<ScoreRow> ScoreRows(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores) {
  std::vector<ScoreRow> rows;
  uint64_t windows = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    const SeriesScores& score = scores[i];
    rows.push_back({series[i].name, LineOf(score.forecast), LineOf(score.last_value), LineOf(score.seasonal_naive),
                    score.forecast.windows()});
    windows += score.forecast.windows();
  }
  rows.push_back({"mean", MeanOf(scores, &SeriesScores::forecast), MeanOf(scores, &SeriesScores::last_value),
                  MeanOf(scores, &SeriesScores::seasonal_naive), windows});
  return rows;
}

std::string ToJsonLines(const std::vector<ScoreRow>& rows) {
  std::string out;
  for (const ScoreRow& row : rows) {
    JsonObject object(out);
    object.Add("series", row.series).Add("mase", row.forecast.mase).Add("wql", row.forecast.wql);
    object.Add("coverage80", row.forecast.coverage80);
    AppendPair("last_value", row.last_value, object, out);
    AppendPair("seasonal_naive", row.seasonal_naive, object, out);
    object.Add("windows", row.windows).Close();
    out += '\n';
  }
  return out;
}

std::string ToTable(const std::vector<ScoreRow>& rows) {
  size_t width = 6;
  for (const ScoreRow& row : rows) width = std::max(width, Width(row.series));
  const std::string blank(width, ' ');
  std::string out = absl::StrFormat("%s  %26s   %17s   %17s\n", blank, "------- forecast -------", "-- last value --",
                                    "- seasonal naive -");
  absl::StrAppendFormat(&out, "series%s  %8s %8s %8s   %8s %8s   %8s %8s  %7s\n", blank.substr(6), "MASE", "WQL",
                        "in 80 %", "MASE", "WQL", "MASE", "WQL", "windows");
  for (const ScoreRow& row : rows) {
    absl::StrAppendFormat(&out, "%s%s  %8s %8s %8s   %8s %8s   %8s %8s  %7d\n", row.series,
                          blank.substr(Width(row.series)), Number(row.forecast.mase), Number(row.forecast.wql),
                          Number(row.forecast.coverage80), Number(row.last_value.mase), Number(row.last_value.wql),
                          Number(row.seasonal_naive.mase), Number(row.seasonal_naive.wql), row.windows);
  }
  return out;
}

}  // namespace aaren::cli
