#ifndef AAREN_CLIENT_CLI_EVALUATE_PAGE_EVALUATION_PAGE_H_
#define AAREN_CLIENT_CLI_EVALUATE_PAGE_EVALUATION_PAGE_H_

// The report of an evaluation: one HTML file that needs nothing else and is well-formed XML. It has the tables that the
// program prints, coverage by rows ahead, surprises, error by age of the session, and the worst series. It shows
// forecasts at a few origins, chosen by their place and not by their looks. Threading: pure functions.

#include <string>
#include <vector>

#include "client/cli/evaluate/evaluation.h"
#include "client/cli/evaluate/score_report.h"

namespace aaren::cli {

// What the scores do not say.
struct EvaluationFacts {
  std::string command;
  std::vector<std::string> files;
  size_t horizon;
  size_t season;
};

// The origins whose forecasts the page shows: three at most, spread evenly over those there are.
std::vector<size_t> SampleOrigins(const std::vector<size_t>& origins);

// `rows` are ScoreRows(series, scores).
std::string EvaluationPage(const std::vector<EvaluatedSeries>& series, const std::vector<SeriesScores>& scores,
                           const std::vector<ScoreRow>& rows, const EvaluationFacts& facts);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_PAGE_EVALUATION_PAGE_H_
