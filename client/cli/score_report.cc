#include "client/cli/score_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "client/cli/json.h"
#include "client/cli/mean.h"

namespace aaren::cli {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr absl::Span<const Forecaster> kNaiveForecasters = absl::MakeConstSpan(kForecasters).subspan(kNaive);

ScoreLine LineOf(const ForecastScore& score) { return {score.mase(), score.wql(), score.coverage80()}; }

ScoreLine MeanOf(const std::vector<SeriesScores>& scores, const Forecaster& forecaster) {
  ForecastScore pooled = scores[0].*forecaster.score;
  Mean mase;
  for (size_t i = 0; i < scores.size(); ++i) {
    const ForecastScore& score = scores[i].*forecaster.score;
    if (i > 0) pooled.Pool(score);
    mase.Add(score.mase());
  }
  return {mase.value(), pooled.wql(), pooled.coverage80()};
}

// The mean over evaluations of the k-th windows alone.
ScoreLine WindowMeanOf(const std::vector<SeriesScores>& scores, const Forecaster& forecaster) {
  Mean mase, wql;
  for (size_t k = 0; k < scores[0].windows.size(); ++k) {
    Mean window;
    double loss = 0, magnitude = 0;
    for (const SeriesScores& series : scores) {
      const WindowScore& score = series.windows[k].*forecaster.window;
      window.Add(score.mase);
      loss += score.loss;
      magnitude += score.magnitude;
    }
    mase.Add(window.value());
    wql.Add(magnitude > 0 ? loss / magnitude : kNone);
  }
  return {mase.value(), wql.value(), MeanOf(scores, forecaster).coverage80};
}

bool HaveWindowsInCommon(const std::vector<SeriesScores>& scores) {
  const size_t windows = scores[0].windows.size();
  return windows > 1 && std::all_of(scores.begin(), scores.end(),
                                    [&](const SeriesScores& series) { return series.windows.size() == windows; });
}

void AppendPair(const char* key, const ScoreLine& line, JsonObject& object, std::string& out) {
  object.Key(key);
  JsonObject(out).Add("mase", line.mase).Add("wql", line.wql).Close();
}

void AppendWindow(const char* key, const WindowScore& score, JsonObject& object, std::string& out) {
  object.Key(key);
  JsonObject(out).Add("mase", score.mase).Add("loss", score.loss).Add("magnitude", score.magnitude).Close();
}

// Characters, not bytes: a name is UTF-8.
size_t Width(const std::string& name) {
  const auto begins = [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; };
  return static_cast<size_t>(std::count_if(name.begin(), name.end(), begins));
}

}  // namespace

std::string ScoreText(double value) { return std::isnan(value) ? "-" : absl::StrFormat("%.4f", value); }

std::vector<ScoreRow> ScoreRows(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores) {
  std::vector<ScoreRow> rows;
  uint64_t windows = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    ScoreRow row{.series = series[i].name, .windows = scores[i].forecast.windows()};
    for (const Forecaster& forecaster : kForecasters) row.*forecaster.line = LineOf(scores[i].*forecaster.score);
    windows += row.windows;
    rows.push_back(std::move(row));
  }
  ScoreRow mean{.series = "mean", .windows = windows}, one{.series = "one window", .windows = scores[0].windows.size()};
  const bool common = HaveWindowsInCommon(scores);
  for (const Forecaster& forecaster : kForecasters) {
    mean.*forecaster.line = MeanOf(scores, forecaster);
    if (common) one.*forecaster.line = WindowMeanOf(scores, forecaster);
  }
  if (common) rows.push_back(std::move(one));
  rows.push_back(std::move(mean));
  return rows;
}

std::string ToJsonLines(const std::vector<ScoreRow>& rows) {
  std::string out;
  for (const ScoreRow& row : rows) {
    JsonObject object(out);
    object.Add("series", row.series).Add("mase", row.forecast.mase).Add("wql", row.forecast.wql);
    object.Add("coverage80", row.forecast.coverage80);
    for (const Forecaster& naive : kNaiveForecasters) AppendPair(naive.key, row.*naive.line, object, out);
    object.Add("windows", row.windows).Close();
    out += '\n';
  }
  return out;
}

std::string WindowsToJsonLines(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores) {
  std::string out;
  for (size_t i = 0; i < scores.size(); ++i) {
    for (const ScoredWindow& window : scores[i].windows) {
      JsonObject object(out);
      object.Add("series", series[i].name).Add("origin", window.origin).Add("age", window.age);
      for (const Forecaster& one : kForecasters) AppendWindow(one.key, window.*one.window, object, out);
      object.Close();
      out += '\n';
    }
  }
  return out;
}

std::string ToTable(const std::vector<ScoreRow>& rows) {
  size_t width = 6;
  for (const ScoreRow& row : rows) width = std::max(width, Width(row.series));
  const std::string blank(width, ' ');
  std::string out = absl::StrCat(blank, "    ------- forecast -------   -- last value --    - seasonal naive -   ",
                                 "----- drift -----\n");
  absl::StrAppendFormat(&out, "series%s  %8s %8s %8s", blank.substr(6), "MASE", "WQL", "in 80 %");
  for (size_t i = 0; i < kNaiveForecasters.size(); ++i) absl::StrAppendFormat(&out, "   %8s %8s", "MASE", "WQL");
  absl::StrAppend(&out, "  windows\n");
  for (const ScoreRow& row : rows) {
    absl::StrAppendFormat(&out, "%s%s  %8s %8s %8s", row.series, blank.substr(Width(row.series)),
                          ScoreText(row.forecast.mase), ScoreText(row.forecast.wql),
                          ScoreText(row.forecast.coverage80));
    for (const Forecaster& naive : kNaiveForecasters) {
      const ScoreLine& line = row.*naive.line;
      absl::StrAppendFormat(&out, "   %8s %8s", ScoreText(line.mase), ScoreText(line.wql));
    }
    absl::StrAppendFormat(&out, "  %7d\n", row.windows);
  }
  return out;
}

}  // namespace aaren::cli
