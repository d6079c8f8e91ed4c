#ifndef AAREN_CLIENT_CLI_EVALUATE_SCORE_REPORT_H_
#define AAREN_CLIENT_CLI_EVALUATE_SCORE_REPORT_H_

// The output of evaluate: the scores of each series and, last, of all ("mean"), as JSON lines or as two tables:
// errors, and whether the forecast's intervals are honest, by rows ahead and by surprises. If every series has
// the same number of windows, above one, a line "one window" stands before the last: the average scores of
// evaluations of a single window. Their MASE is the mean's, but each has a WQL of its own. Threading: plain
// functions.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/evaluate/evaluation.h"
#include "client/cli/evaluate/surprise_score.h"

namespace aaren::cli {

// The scores of a forecaster over a series, or over all series. NaN without a score.
struct ScoreLine {
  double mase = std::numeric_limits<double>::quiet_NaN();
  double wql = std::numeric_limits<double>::quiet_NaN();
  double coverage = std::numeric_limits<double>::quiet_NaN();  // the widest interval's
  double sql = std::numeric_limits<double>::quiet_NaN();
};

struct ScoreRow {
  std::string series;
  ScoreLine forecast = {}, last_value = {}, seasonal_naive = {}, drift = {};
  uint64_t windows;

  // Scores of the forecast; "one window" has neither.
  std::vector<double> coverage_by_step = {};  // [horizon], 1, 2, ... rows ahead; NaN where unknown
  SurpriseScore surprise = {};
  std::vector<LevelScore> levels = {};
  std::optional<ScoreLine> without_covariates = {};  // another evaluation's, of sessions without covariates
  double interval = 0.8;  // the share that the widest interval should cover; 0.8 where there is no interval
};

// The forecasters, in the shown order.
struct Forecaster {
  const char* key;   // in JSON
  const char* name;  // for people
  ScoreLine ScoreRow::*line;
  ForecastScore SeriesScores::*score;
  WindowScore ScoredWindow::*window;
};
inline constexpr Forecaster kForecasters[] = {
    {"forecast", "forecast", &ScoreRow::forecast, &SeriesScores::forecast, &ScoredWindow::forecast},
    {"last_value", "last value", &ScoreRow::last_value, &SeriesScores::last_value, &ScoredWindow::last_value},
    {"seasonal_naive", "seasonal naive", &ScoreRow::seasonal_naive, &SeriesScores::seasonal_naive,
     &ScoredWindow::seasonal_naive},
    {"drift", "drift", &ScoreRow::drift, &SeriesScores::drift, &ScoredWindow::drift},
};
inline constexpr size_t kNaive = 1;  // the first naive forecaster

// A row per series, then "mean": MASE and SQL are means over the series that have them, WQL and
// coverages are pooled. REQUIRES:
// as many names as scores, at least one.
std::vector<ScoreRow> ScoreRows(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores);

// A forecaster's scores of all series, pooled. The mase() is the first series'. REQUIRES: at least one series.
ForecastScore Pooled(const std::vector<SeriesScores>& scores, ForecastScore SeriesScores::*which);

// The coverage of the values 1, 2, ... rows ahead.
std::vector<double> CoverageByStep(const ForecastScore& score);

// `levels`: with the scores by level.
std::string ToJsonLines(const std::vector<ScoreRow>& rows, bool levels = false);

// A line per window of each series: the origin's row and age, and every forecaster's WindowScore.
std::string WindowsToJsonLines(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores);

std::string ToTable(const std::vector<ScoreRow>& rows);

// The second table, without a line "one window".
std::string ToCalibrationTable(const std::vector<ScoreRow>& rows);

// A third table, for levels that were asked for: the scores of the last row by level.
std::string ToLevelTable(const std::vector<ScoreRow>& rows);

// The columns' names of the third table, and the cells of a level.
inline constexpr const char* kLevelNames[] = {"level", "WQL", "below", "inside"};
std::vector<std::string> LevelCells(const LevelScore& level);

// A table of what covariates bring, of the rows with without_covariates: MASE and WQL with and without, and the change.
// The columns' names and the cells of a row.
std::string ToCovariateTable(const std::vector<ScoreRow>& rows);
inline constexpr const char* kCovariateNames[] = {"MASE", "without", "change", "WQL", "without", "change"};
std::vector<std::string> CovariateCells(const ScoreRow& row);

// "80 %", for a table's heading.
std::string IntervalText(double interval);

// The columns' names and a row's cells: coverage at 1, 12, 24, 48 and further rows ahead where forecast, and then
// kSurpriseColumns. REQUIRES: a row with coverage_by_step.
std::vector<std::string> CalibrationNames(const ScoreRow& row);
std::vector<std::string> CalibrationCells(const ScoreRow& row);
inline constexpr size_t kSurpriseColumns = 3;

// In the table's form: four decimals, "-" for NaN.
std::string ScoreText(double value);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_SCORE_REPORT_H_
