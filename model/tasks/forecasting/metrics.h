#ifndef AAREN_MODEL_TASKS_FORECASTING_METRICS_H_
#define AAREN_MODEL_TASKS_FORECASTING_METRICS_H_

// The scores of one series' quantile forecasts against the actual values, in the definitions of the Chronos benchmark:
//   MASE        mean |value - median| / mean |x_t - x_{t-season}| over the history before the first forecast
//   WQL         2 * sum of pinball losses over all points, mean over levels, / sum |value|
//   coverage80  share of values between the 0.1 and the 0.9 quantile
// Missing values (NaN) are not scored.
//
// Threading: plain values and a plain function.

#include <vector>

#include "absl/types/span.h"

namespace aaren::forecasting {

// Mean |x_t - x_{t-season}| over the pairs both present; NaN without such a pair. REQUIRES: season >= 1.
double SeasonalError(absl::Span<const double> history, int season);

class ForecastScore {
 public:
  // REQUIRES: levels ascend and contain the median 0.5. seasonal_error: from SeasonalError.
  ForecastScore(std::vector<double> levels, double seasonal_error);

  // Scores one value against its forecast quantiles, one per level.
  void Add(double value, absl::Span<const double> quantiles);

  // Adds the points of another series, so that WQL and coverage are pooled. The other series' MASE does not enter.
  void Pool(const ForecastScore& other);

  int points() const { return points_; }
  double mase() const;        // NaN without points, or if the seasonal error is 0 or NaN
  double loss() const;        // the numerator of WQL
  double wql() const;         // NaN if all values were 0
  double coverage80() const;  // NaN if 0.1 or 0.9 is no level

 private:
  std::vector<double> levels_;
  double seasonal_error_;
  int median_, low_, high_;  // indices into levels_; -1 if absent
  int points_ = 0;
  double absolute_error_ = 0, pinball_ = 0, magnitude_ = 0;
  int covered_ = 0;
};

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_METRICS_H_
