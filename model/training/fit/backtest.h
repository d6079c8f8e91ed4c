#ifndef AAREN_MODEL_TRAINING_FIT_BACKTEST_H_
#define AAREN_MODEL_TRAINING_FIT_BACKTEST_H_

// A backtest forecasts the last part of some series, each time from the rows before alone, by several methods, and
// scores every method on the same rows. A forecast of `horizon` rows begins at an *origin*, the row number of the first
// row that is forecast. The rows of a forecast are a *window*.
//
// A model is scored as a server would serve it: a session streams the whole series through the step engine, with its
// covariates and refined by the session's own errors (session.h). Simple methods know no covariates.
//
// Threading: plain values and plain functions.

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/engine/engine.h"
#include "model/tasks/forecasting/series_csv.h"

namespace aaren::training {

struct BacktestSeries {
  std::string name;
  std::vector<double> values;        // NaN where missing
  std::vector<size_t> origins = {};  // ascending
  // [covariates, rows], past ones first, NaN where missing: known up to the origin, or in advance.
  std::vector<std::vector<double>> covariates = {};
  int season = 1;  // the seasonal naive's, and MASE's
};

struct Backtest {
  int horizon = 24;                   // rows in a window
  std::vector<double> levels;         // quantile levels, ascending, 0.5 in the middle
  engine::Extension covariates = {};  // every series has these
  std::vector<BacktestSeries> series;
};

// At most `most` origins of windows that lie in rows first ... rows - 1, evenly spread, none before the other's end
// where there is room. Empty if no window fits.
std::vector<size_t> Origins(size_t first, size_t rows, int horizon, size_t most);

// The season with which a seasonal naive forecast of `horizon` rows would have missed these values least: a lag of the
// lag bank, from four rows on. 1 if there are fewer rows than three seasons of four and the horizon.
int LikelySeason(absl::Span<const double> values, int horizon);

// The quantiles of a window, [horizon, levels]. Empty: the method has no forecast there.
using WindowQuantiles = std::vector<double>;
// By series, then by origin.
using Forecasts = std::vector<std::vector<WindowQuantiles>>;

// The forecasts of a server with this package. InvalidArgument if the package's levels are others than the
// backtest's, or its horizon is shorter.
absl::StatusOr<Forecasts> ModelForecasts(const package::ModelPackage& package, const Backtest& backtest);

// The last value before the origin, and the last value of the same phase of the season, as every quantile. Windows
// without such a value have no forecast.
Forecasts LastValueForecasts(const Backtest& backtest);
Forecasts SeasonalNaiveForecasts(const Backtest& backtest);

struct MethodScore {
  std::string name;
  double mase = 0;                          // mean over the series; NaN if no series can be scored
  double wql = 0;                           // over all series together
  double coverage80 = 0;                    // over all series; NaN without the levels 0.1 and 0.9
  size_t windows = 0;                       // with a forecast and a value to score it by
  std::vector<std::vector<double>> losses;  // each window's, by series: the numerator of WQL; NaN: not scored
};

MethodScore ScoreForecasts(std::string name, const Backtest& backtest, const Forecasts& forecasts);

// The difference in loss of two methods, over the windows that both have, in the unit of the reference's mean loss of
// the window's series: -0.03 means that the loss is 3 % lower.
struct LossChange {
  double mean = 0;            // NaN without a common window
  double standard_error = 0;  // takes windows for independent; NaN with fewer than two
};
LossChange CompareLosses(const MethodScore& method, const MethodScore& reference);

// A line for each method, under a line of headings.
std::string BacktestTable(absl::Span<const MethodScore> scores);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_FIT_BACKTEST_H_
