#ifndef AAREN_CLIENT_CLI_EVALUATE_SCORES_H_
#define AAREN_CLIENT_CLI_EVALUATE_SCORES_H_

// Scores of forecasts against the actual values, and three naive forecasts for comparison. A *window* is the range of a
// forecast: the `horizon` rows from its origin on.
//
//   MASE        mean over windows of: mean |value - median| / mean |x_t - x_{t-season}| over all rows before the window
//   WQL         2 * sum of pinball losses, mean over the levels, / sum |value|
//   SQL         as MASE, with 2 * pinball loss, mean over the levels, in place of |value - median|
//   coverage    share of the values in the widest interval: between the outermost levels that are as far from 0 as
//               from 1, which are 0.1 and 0.9 for an interval of 80 %
//
// Missing values (NaN) are passed over. A window whose denominator is 0 or unknown enters neither MASE
// nor SQL.
// Threading: plain values.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace aaren::cli {

// A window's part of the scores.
struct WindowScore {
  double mase;       // NaN without a denominator
  double loss;       // 2 * sum of pinball losses, mean over the levels; WQL: sum of losses over sum of magnitudes
  double magnitude;  // sum |value|
  double sql;        // NaN without a denominator
};

// The scores of a level of the quantiles. NaN where unknown.
struct LevelScore {
  double level;
  double wql;     // this level's alone
  double below;   // share of the values at or below the quantile
  double inside;  // share of the values from the quantile 1 - level to this one; NaN without level 1 - level < level
};

class ForecastScore {
 public:
  // Levels ascend; the level nearest to 0.5 is the median.
  explicit ForecastScore(const std::vector<double>& levels);

  // values [horizon]; quantiles [horizon, levels], less `offset`; seasonal_error: the denominator of MASE.
  WindowScore AddWindow(absl::Span<const double> values, absl::Span<const double> quantiles, double seasonal_error,
                        double offset = 0.0);

  // A forecast without quantiles: each is the point.
  WindowScore AddPoints(absl::Span<const double> values, absl::Span<const double> points, double seasonal_error);

  // Joins another series' points into WQL and coverage. MASE and SQL stay without the series' windows: they are means
  // over series. Scores by level make sense only if both have the same levels.
  void Pool(const ForecastScore& other);

  uint64_t windows() const { return windows_; }
  double mase() const;      // NaN where no window has a denominator
  double sql() const;       // likewise
  double wql() const;       // NaN if all values were 0 or missing
  double coverage() const;  // NaN without an interval

  // The share that the widest interval should cover; NaN without an interval.
  double interval() const;

  // Coverage of the values `step` rows after the first of their window; NaN without values.
  double coverage(size_t step) const;
  size_t steps() const { return steps_.size(); }  // the longest window's

  std::vector<LevelScore> ByLevel() const;

 private:
  struct Covered {
    uint64_t inside = 0;
    uint64_t points = 0;
  };
  struct Level {
    double level = 0;
    size_t opposite = 0;  // the index of 1 - level; the level's own without one
    double pinball = 0;
    uint64_t below = 0;
    uint64_t inside = 0;
  };
  double Pinball(double value, absl::Span<const double> quantiles);
  void Cover(size_t step, double value, absl::Span<const double> quantiles);

  std::vector<Level> levels_;
  size_t median_;
  size_t high_ = 0;  // the index of the widest interval's upper level; 0 without an interval
  uint64_t points_ = 0;
  uint64_t windows_ = 0;
  uint64_t scaled_windows_ = 0;
  double scaled_error_ = 0;
  double scaled_loss_ = 0;
  double pinball_ = 0;
  double magnitude_ = 0;
  std::vector<Covered> steps_;
};

// Mean |x_t - x_{t-season}| over the pairs of present values in a growing prefix of a series.
class SeasonalError {
 public:
  // The series outlives the SeasonalError. REQUIRES: season >= 1.
  SeasonalError(absl::Span<const double> series, size_t season) : series_(series), season_(season), next_(season) {}

  // Over rows 0 .. end - 1; NaN without a pair. REQUIRES: `end` does not shrink.
  double Before(size_t end);

 private:
  absl::Span<const double> series_;
  size_t season_;
  size_t next_;
  double sum_ = 0;
  uint64_t pairs_ = 0;
};

// The latest present value before the origin, for every step; NaN without a value.
std::vector<double> LastValue(absl::Span<const double> history, size_t horizon);

// The present value at the same phase in the latest season with such a value; NaN without a value.
std::vector<double> SeasonalNaive(absl::Span<const double> history, size_t season, size_t horizon);

// The line through the first and the latest present value (Hyndman and Athanasopoulos, Forecasting: Principles and
// Practice, 5.2), drawn on; NaN without both values.
std::vector<double> Drift(absl::Span<const double> history, size_t horizon);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_SCORES_H_
