#include "client/cli/evaluate/score_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "client/cli/evaluate/mean.h"
#include "client/cli/terminal/json.h"
#include "client/cli/terminal/shown.h"

namespace aaren::cli {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();
// With hourly rows: an hour, half a day, a day, and then up to a month.
constexpr size_t kShownSteps[] = {1, 12, 24, 48, 96, 192, 336, 720};  // rows ahead
constexpr absl::Span<const Forecaster> kNaiveForecasters = absl::MakeConstSpan(kForecasters).subspan(kNaive);

double IntervalOf(const ForecastScore& score) { return std::isnan(score.interval()) ? 0.8 : score.interval(); }

ScoreLine LineOf(const ForecastScore& score) {
  return {.mase = score.mase(), .wql = score.wql(), .coverage = score.coverage(), .sql = score.sql()};
}

ScoreLine MeanOf(const std::vector<SeriesScores>& scores, const Forecaster& forecaster) {
  const ForecastScore pooled = Pooled(scores, forecaster.score);
  Mean mase, sql;
  // Each MASE is scaled by its own series, so series count alike.
  for (const SeriesScores& series : scores) {
    mase.Add((series.*forecaster.score).mase());
    sql.Add((series.*forecaster.score).sql());
  }
  return {.mase = mase.value(), .wql = pooled.wql(), .coverage = pooled.coverage(), .sql = sql.value()};
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
    wql.Add(magnitude > 0 ? loss / magnitude : kNoScore);
  }
  const ScoreLine mean = MeanOf(scores, forecaster);
  return {.mase = mase.value(), .wql = wql.value(), .coverage = mean.coverage, .sql = mean.sql};
}

// The k-th windows make an evaluation only if every series has a k-th window.
bool HaveWindowsInCommon(const std::vector<SeriesScores>& scores) {
  const size_t windows = scores[0].windows.size();
  return windows > 1 && std::all_of(scores.begin(), scores.end(),
                                    [&](const SeriesScores& series) { return series.windows.size() == windows; });
}

void AppendPair(const char* key, const ScoreLine& line, JsonObject& object, std::string& out) {
  object.Key(key);
  JsonObject(out).Add("mase", line.mase).Add("wql", line.wql).Add("sql", line.sql).Close();
}

std::string PercentDigits(double share) { return absl::StrFormat("%.4g", 100 * share); }

std::string CoverageKey(const ScoreRow& row) { return absl::StrCat("coverage", PercentDigits(row.interval)); }

void AppendLevels(const ScoreRow& row, JsonObject& object, std::string& out) {
  if (row.levels.empty()) return;
  object.Key("levels");
  JsonObject levels(out);
  for (const LevelScore& level : row.levels) {
    std::string name;
    AppendJson(static_cast<float>(level.level), name);
    levels.Key(name);
    JsonObject(out).Add("wql", level.wql).Add("below", level.below).Add("inside", level.inside).Close();
  }
  levels.Close();
}

// Nothing for a row that has none.
void AppendCalibration(const ScoreRow& row, JsonObject& object, std::string& out) {
  if (row.coverage_by_step.empty()) return;
  object.Key(absl::StrCat(CoverageKey(row), "_by_step"));
  for (size_t step = 0; step < row.coverage_by_step.size(); ++step) {
    out += step == 0 ? '[' : ',';
    AppendJson(row.coverage_by_step[step], out);
  }
  out += ']';
  const SurpriseScore& surprise = row.surprise;
  object.Key("surprise");
  JsonObject(out)
      .Add("ks", surprise.ks)
      .Add("alerts_at_1_percent", surprise.alerts)
      .Add("values", surprise.values)
      .Close();
}

void AppendWindow(const char* key, const WindowScore& score, JsonObject& object, std::string& out) {
  object.Key(key);
  JsonObject(out)
      .Add("mase", score.mase)
      .Add("loss", score.loss)
      .Add("magnitude", score.magnitude)
      .Add("sql", score.sql)
      .Close();
}

size_t WidestName(const std::vector<ScoreRow>& rows) {
  // The heading "series" needs six columns.
  size_t width = 6;
  for (const ScoreRow& row : rows) width = std::max(width, Columns(Shown(row.series)));
  return width;
}

// A title in the middle of a rule.
std::string Ruled(absl::string_view title, size_t width) {
  // Too narrow for a rule: the title stands to the right.
  if (width < title.size() + 4) return absl::StrCat(std::string(width - title.size(), ' '), title);
  const size_t rule = width - title.size() - 2;
  return absl::StrCat(std::string(rule / 2, '-'), " ", title, " ", std::string(rule - rule / 2, '-'));
}

}  // namespace

std::string IntervalText(double interval) { return absl::StrCat(PercentDigits(interval), " %"); }

std::string ScoreText(double value) { return std::isnan(value) ? "-" : absl::StrFormat("%.4f", value); }

ForecastScore Pooled(const std::vector<SeriesScores>& scores, ForecastScore SeriesScores::*which) {
  ForecastScore pooled = scores[0].*which;
  for (size_t i = 1; i < scores.size(); ++i) pooled.Pool(scores[i].*which);
  return pooled;
}

std::vector<double> CoverageByStep(const ForecastScore& score) {
  std::vector<double> coverage;
  for (size_t step = 0; step < score.steps(); ++step) coverage.push_back(score.coverage(step));
  return coverage;
}

std::vector<ScoreRow> ScoreRows(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores) {
  std::vector<ScoreRow> rows;
  std::vector<SurpriseScore> surprises;
  uint64_t windows = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    ScoreRow row{.series = series[i].name,
                 .windows = scores[i].forecast.windows(),
                 .coverage_by_step = CoverageByStep(scores[i].forecast),
                 .surprise = ScoreSurprises(scores[i].surprises),
                 .levels = scores[i].forecast.ByLevel(),
                 .interval = IntervalOf(scores[i].forecast)};
    surprises.push_back(row.surprise);
    for (const Forecaster& forecaster : kForecasters) row.*forecaster.line = LineOf(scores[i].*forecaster.score);
    windows += row.windows;
    rows.push_back(std::move(row));
  }
  const ForecastScore all = Pooled(scores, &SeriesScores::forecast);
  ScoreRow mean{.series = "mean",
                .windows = windows,
                .coverage_by_step = CoverageByStep(all),
                .surprise = MeanOf(surprises),
                .levels = all.ByLevel(),
                .interval = IntervalOf(all)};
  ScoreRow one{.series = "one window", .windows = scores[0].windows.size(), .interval = IntervalOf(all)};
  const bool common = HaveWindowsInCommon(scores);
  for (const Forecaster& forecaster : kForecasters) {
    mean.*forecaster.line = MeanOf(scores, forecaster);
    if (common) one.*forecaster.line = WindowMeanOf(scores, forecaster);
  }
  // Before the mean, since callers take the last row for the mean.
  if (common) rows.push_back(std::move(one));
  rows.push_back(std::move(mean));
  return rows;
}

std::string ToJsonLines(const std::vector<ScoreRow>& rows, bool levels) {
  std::string out;
  for (const ScoreRow& row : rows) {
    JsonObject object(out);
    object.Add("series", row.series).Add("mase", row.forecast.mase).Add("wql", row.forecast.wql);
    object.Add("sql", row.forecast.sql);
    object.Add(CoverageKey(row), row.forecast.coverage);
    for (const Forecaster& naive : kNaiveForecasters) AppendPair(naive.key, row.*naive.line, object, out);
    object.Add("windows", row.windows);
    AppendCalibration(row, object, out);
    if (levels) AppendLevels(row, object, out);
    if (row.without_covariates) AppendPair("without_covariates", *row.without_covariates, object, out);
    object.CloseLine();
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
      object.CloseLine();
    }
  }
  return out;
}

std::string ToTable(const std::vector<ScoreRow>& rows) {
  const std::string blank(WidestName(rows), ' ');
  std::string out = absl::StrCat(blank, "    ------- forecast -------   -- last value --    - seasonal naive -   ",
                                 "----- drift -----\n");
  absl::StrAppendFormat(&out, "series%s  %8s %8s %8s", blank.substr(6), "MASE", "WQL",
                        absl::StrCat("in ", IntervalText(rows.back().interval)));
  for (size_t i = 0; i < kNaiveForecasters.size(); ++i) absl::StrAppendFormat(&out, "   %8s %8s", "MASE", "WQL");
  absl::StrAppend(&out, "  windows\n");
  for (const ScoreRow& row : rows) {
    absl::StrAppendFormat(&out, "%s  %8s %8s %8s", Padded(row.series, blank.size()), ScoreText(row.forecast.mase),
                          ScoreText(row.forecast.wql), ScoreText(row.forecast.coverage));
    for (const Forecaster& naive : kNaiveForecasters) {
      const ScoreLine& line = row.*naive.line;
      absl::StrAppendFormat(&out, "   %8s %8s", ScoreText(line.mase), ScoreText(line.wql));
    }
    absl::StrAppendFormat(&out, "  %7d\n", row.windows);
  }
  return out;
}

std::vector<std::string> CalibrationNames(const ScoreRow& row) {
  std::vector<std::string> names;
  for (size_t ahead : kShownSteps) {
    if (ahead <= row.coverage_by_step.size()) names.push_back(absl::StrCat(ahead, " ahead"));
  }
  names.insert(names.end(), {"KS", "alerts", "values"});
  return names;
}

std::vector<std::string> CalibrationCells(const ScoreRow& row) {
  std::vector<std::string> cells;
  for (size_t ahead : kShownSteps) {
    if (ahead <= row.coverage_by_step.size()) cells.push_back(ScoreText(row.coverage_by_step[ahead - 1]));
  }
  const SurpriseScore& surprise = row.surprise;
  cells.insert(cells.end(), {ScoreText(surprise.ks), ScoreText(surprise.alerts), absl::StrCat(surprise.values)});
  return cells;
}

std::string ToCalibrationTable(const std::vector<ScoreRow>& rows) {
  const std::string blank(WidestName(rows), ' ');
  const std::vector<std::string> names = CalibrationNames(rows.back());
  const size_t steps = names.size() - kSurpriseColumns;
  std::string out =
      // A column of this table is nine characters wide, with its blank.
      absl::StrCat(blank, "  ", Ruled(absl::StrCat("in ", IntervalText(rows.back().interval)), 9 * steps - 1), "   ",
                   Ruled("surprise", 9 * kSurpriseColumns - 1));
  const auto append = [&](absl::string_view name, const std::vector<std::string>& cells) {
    absl::StrAppend(&out, "\n", Padded(name, blank.size()), " ");
    for (size_t i = 0; i < cells.size(); ++i) absl::StrAppendFormat(&out, "%s %8s", i == steps ? "  " : "", cells[i]);
  };
  append("series", names);
  for (const ScoreRow& row : rows) {
    if (!row.coverage_by_step.empty()) append(row.series, CalibrationCells(row));
  }
  return absl::StrCat(out, "\n");
}

std::vector<std::string> LevelCells(const LevelScore& level) {
  return {absl::StrFormat("%.4g", level.level), ScoreText(level.wql), ScoreText(level.below), ScoreText(level.inside)};
}

std::string ToLevelTable(const std::vector<ScoreRow>& rows) {
  std::string out;
  const auto append = [&](const auto& cells) {
    for (const auto& cell : cells) absl::StrAppendFormat(&out, "%8s ", cell);
    out.back() = '\n';
  };
  append(kLevelNames);
  for (const LevelScore& level : rows.back().levels) append(LevelCells(level));
  return out;
}

std::vector<std::string> CovariateCells(const ScoreRow& row) {
  std::vector<std::string> cells;
  for (const auto score : {&ScoreLine::mase, &ScoreLine::wql}) {
    const double with = row.forecast.*score, without = (*row.without_covariates).*score;
    const double change = 100 * (with / without - 1);
    cells.insert(cells.end(), {ScoreText(with), ScoreText(without),
                               std::isfinite(change) ? absl::StrFormat("%+.1f %%", change) : "-"});
  }
  return cells;
}

std::string ToCovariateTable(const std::vector<ScoreRow>& rows) {
  const size_t width = std::max(WidestName(rows), absl::string_view("covariates").size());
  std::string out = Padded("covariates", width);
  for (const char* name : kCovariateNames) absl::StrAppendFormat(&out, " %9s", name);
  for (const ScoreRow& row : rows) {
    if (!row.without_covariates) continue;
    absl::StrAppend(&out, "\n", Padded(row.series, width));
    for (const std::string& cell : CovariateCells(row)) absl::StrAppendFormat(&out, " %9s", cell);
  }
  return absl::StrCat(out, "\n");
}

}  // namespace aaren::cli
