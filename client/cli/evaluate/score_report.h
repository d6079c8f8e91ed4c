#ifndef AAREN_CLIENT_CLI_EVALUATE_SCORE_REPORT_H_
#define AAREN_CLIENT_CLI_EVALUATE_SCORE_REPORT_H_

// What evaluate prints: the scores of each series and, last, of all ("mean"). It prints JSON lines or two tables:
// errors, and whether the forecast's intervals are honest, by rows ahead and by surprises. Where every series has the
// same number of windows, and more than one, there is a line "one window" before the last. It says what evaluations of
// a single window each score on average. Their MASE is the mean's, but the WQL of each is its own. Threading: plain
// functions.

#include <limits>
#include <string>
#include <vector>

#include "client/cli/evaluate/evaluation.h"
#include "client/cli/evaluate/surprise_score.h"

namespace aaren::cli {

// The scores of one forecaster over one series, or over all of them. NaN where there is none.
struct ScoreLine {
  double mase = std::numeric_limits<double>::quiet_NaN();
  double wql = std::numeric_limits<double>::quiet_NaN();
  double coverage80 = std::numeric_limits<double>::quiet_NaN();
};

struct ScoreRow {
  std::string series;
  ScoreLine forecast = {}, last_value = {}, seasonal_naive = {}, drift = {};
  uint64_t windows;

  // Of the forecast; "one window" has neither.
  std::vector<double> coverage80_by_step = {};  // [horizon], 1, 2, ... rows ahead; NaN where unknown
  SurpriseScore surprise = {};
};

// The forecasters, in the order in which they are shown.
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
inline constexpr size_t kNaive = 1;  // the first of them that anyone can make

// A row per series, then "mean": MASE is the mean over the series that have one, WQL and coverages are pooled.
// REQUIRES: as many names as scores, at least one.
std::vector<ScoreRow> ScoreRows(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores);

// One forecaster's scores of all series in one. Its mase() is the first series'. REQUIRES: at least one.
ForecastScore Pooled(const std::vector<SeriesScores>& scores, ForecastScore SeriesScores::*which);

// coverage80 of the values 1, 2, ... rows ahead.
std::vector<double> CoverageByStep(const ForecastScore& score);

std::string ToJsonLines(const std::vector<ScoreRow>& rows);

// A line per window of each series: its origin's row and age, and every forecaster's WindowScore.
std::string WindowsToJsonLines(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores);

std::string ToTable(const std::vector<ScoreRow>& rows);

// The second table, without a line "one window".
std::string ToCalibrationTable(const std::vector<ScoreRow>& rows);

// Its columns' names and a row's cells: coverage at those of 1, 12, 24 and 48 rows ahead that were forecast, and then
// kSurpriseColumns. REQUIRES: a row with coverage80_by_step.
std::vector<std::string> CalibrationNames(const ScoreRow& row);
std::vector<std::string> CalibrationCells(const ScoreRow& row);
inline constexpr size_t kSurpriseColumns = 3;

// As the table shows it: four decimals, "-" for NaN.
std::string ScoreText(double value);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_SCORE_REPORT_H_
