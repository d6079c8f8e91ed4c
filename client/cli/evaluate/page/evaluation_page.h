#ifndef AAREN_CLIENT_CLI_EVALUATE_PAGE_EVALUATION_PAGE_H_
#define AAREN_CLIENT_CLI_EVALUATE_PAGE_EVALUATION_PAGE_H_

// The report of an evaluation: a self-contained HTML file, well-formed as XML. The page has the printed tables,
// coverage by rows ahead, surprises, error by age of the session, and the worst series, and shows forecasts at a few
// origins, chosen by place and not by looks. Threading: pure functions.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/cli/evaluate/evaluation.h"
#include "client/cli/evaluate/score_report.h"

namespace aaren::cli {

// CSS: the layout of a report and its tables, beside kFigureStyle.
extern const absl::string_view kPageStyle;

// Facts beside the scores.
struct EvaluationFacts {
  std::string command;
  std::vector<std::string> files;
  size_t horizon;
  size_t season;
  bool levels = false;  // show the scores by level
};

// The origins of the page's forecasts: three at most, spread evenly over all.
std::vector<size_t> SampleOrigins(const std::vector<size_t>& origins);

// `rows` are ScoreRows(series, scores).
std::string EvaluationPage(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores,
                           const std::vector<ScoreRow>& rows, const EvaluationFacts& facts);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_PAGE_EVALUATION_PAGE_H_
