#ifndef AAREN_CLIENT_CLI_EVALUATE_PAGE_EVALUATION_FIGURES_H_
#define AAREN_CLIENT_CLI_EVALUATE_PAGE_EVALUATION_FIGURES_H_

// The figures of an evaluation's report, each an <svg> element (figure.h). Threading: pure functions.

#include <string>
#include <vector>

#include "client/cli/evaluate/evaluation.h"
#include "client/cli/evaluate/score_report.h"

namespace aaren::cli {

// The mean MASE of the windows whose sessions were about as old, one value per forecaster.
struct AgeBin {
  double age;  // mean, in tokens
  std::vector<double> mase = {};
};

// At most so many bins, youngest first, each of about the same number of ages. Windows of all series count alike.
std::vector<AgeBin> AgeBins(const std::vector<SeriesScores>& scores, size_t most);

// How many values fell inside the 80 % interval, by rows ahead: of all series, and the spread between them.
std::string CoverageFigure(const std::vector<SeriesScores>& scores);

// The surprises of all series that are not missing.
std::vector<double> AllSurprises(const std::vector<SeriesScores>& scores);

// Their histogram, of ten bars each of which honest forecasts fill with a tenth. REQUIRES: there are any.
std::string SurpriseFigure(const std::vector<double>& surprises);

// MASE against the session's age; empty if all windows have the same.
std::string AgeFigure(const std::vector<SeriesScores>& scores);

// MASE of every forecaster, the series with the largest one first; `most` series at most.
std::string WorstSeriesFigure(const std::vector<ScoreRow>& series_rows, size_t most);

// The k-th sampled forecast of a series: what came before, what came then, the median and the 80 % interval.
// REQUIRES: the series' samples were kept.
std::string ForecastFigure(const EvaluatedSeries& series, const SeriesScores& scores, size_t k, size_t horizon);

// The legend that those share.
std::string ForecastLegend();

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_PAGE_EVALUATION_FIGURES_H_
