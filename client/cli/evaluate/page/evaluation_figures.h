#ifndef AAREN_CLIENT_CLI_EVALUATE_PAGE_EVALUATION_FIGURES_H_
#define AAREN_CLIENT_CLI_EVALUATE_PAGE_EVALUATION_FIGURES_H_

// The figures of an evaluation's report, each an <svg> element (figure.h). Threading: pure functions.

#include <string>
#include <vector>

#include "client/cli/evaluate/evaluation.h"
#include "client/cli/evaluate/score_report.h"

namespace aaren::cli {

// The mean MASE of the windows with sessions of about the same age, a value per forecaster.
struct AgeBin {
  double age;  // mean, in tokens
  std::vector<double> mase = {};
};

// At most `most` bins, youngest first, each with about as many ages. Windows of all series count alike.
std::vector<AgeBin> AgeBins(const std::vector<SeriesScores>& scores, size_t most);

// The share of values inside the widest interval, by rows ahead: over all series, and the spread between series.
std::string CoverageFigure(const std::vector<SeriesScores>& scores);

// The surprises of all series, without missing surprises.
std::vector<double> AllSurprises(const std::vector<SeriesScores>& scores);

// A histogram of surprises, of ten bars with a tenth each for honest forecasts. REQUIRES: `surprises` is not empty.
std::string SurpriseFigure(const std::vector<double>& surprises);

// MASE against the session's age; empty if all windows have the same.
std::string AgeFigure(const std::vector<SeriesScores>& scores);

// MASE of every forecaster, the series with the largest MASE first; at most `most` series.
std::string WorstSeriesFigure(const std::vector<ScoreRow>& series_rows, size_t most);

// The k-th sampled forecast of a series: the past, the actual values, the median and the widest interval. REQUIRES: the
// series' samples were kept.
std::string ForecastFigure(const EvaluatedSeries& series, const SeriesScores& scores, size_t k, size_t horizon);

// The common legend of the forecast figures. `interval`: ScoreRow::interval.
std::string ForecastLegend(double interval);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_PAGE_EVALUATION_FIGURES_H_
