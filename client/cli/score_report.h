#ifndef AAREN_CLIENT_CLI_SCORE_REPORT_H_
#define AAREN_CLIENT_CLI_SCORE_REPORT_H_

// What evaluate prints: the scores of each series and, last, of all ("mean"), as JSON lines or as a table.
// Threading: plain functions.

#include <string>
#include <vector>

#include "client/cli/evaluation.h"

namespace aaren::cli {

// The scores of one forecaster over one series, or over all of them. NaN where there is none.
struct ScoreLine {
  double mase;
  double wql;
  double coverage80;
};

struct ScoreRow {
  std::string series;
  ScoreLine forecast, last_value, seasonal_naive;
  uint64_t windows;
};

// A row per series, then "mean": MASE is the mean over the series that have one, WQL and coverage are pooled.
// REQUIRES: as many names as scores, at least one.
std::vector<ScoreRow> ScoreRows(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores);

std::string ToJsonLines(const std::vector<ScoreRow>& rows);
std::string ToTable(const std::vector<ScoreRow>& rows);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SCORE_REPORT_H_
