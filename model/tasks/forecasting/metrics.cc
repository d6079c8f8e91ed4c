#include "model/tasks/forecasting/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace aaren::forecasting {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The index of a level. The tolerance is for levels that were floats: 0.1f is not 0.1.
int IndexOf(double level, const std::vector<double>& levels) {
  const auto at = std::find_if(levels.begin(), levels.end(), [&](double l) { return std::fabs(l - level) < 1e-6; });
  return at == levels.end() ? -1 : static_cast<int>(at - levels.begin());
}

}  // namespace

double SeasonalError(absl::Span<const double> history, int season) {
  double sum = 0;
  int count = 0;
  for (size_t t = season; t < history.size(); ++t) {
    const double difference = history[t] - history[t - season];
    if (std::isnan(difference)) continue;
    sum += std::fabs(difference);
    ++count;
  }
  return count > 0 ? sum / count : kNone;
}

ForecastScore::ForecastScore(std::vector<double> levels, double seasonal_error)
    : levels_(std::move(levels)),
      seasonal_error_(seasonal_error),
      median_(IndexOf(0.5, levels_)),
      low_(IndexOf(0.1, levels_)),
      high_(IndexOf(0.9, levels_)) {}

void ForecastScore::Add(double value, absl::Span<const double> quantiles) {
  // A missing value enters no sum, and neither the count of points.
  if (std::isnan(value)) return;
  ++points_;
  absolute_error_ += std::fabs(value - quantiles[median_]);
  magnitude_ += std::fabs(value);
  for (size_t i = 0; i < levels_.size(); ++i) {
    const double error = value - quantiles[i];
    pinball_ += std::max(levels_[i] * error, (levels_[i] - 1) * error);
  }
  // Both ends belong to the interval: a forecast that equals the value covers the value.
  if (low_ >= 0 && high_ >= 0) covered_ += quantiles[low_] <= value && value <= quantiles[high_];
}

void ForecastScore::Pool(const ForecastScore& other) {
  points_ += other.points_;
  absolute_error_ += other.absolute_error_;
  pinball_ += other.pinball_;
  magnitude_ += other.magnitude_;
  covered_ += other.covered_;
}

double ForecastScore::mase() const {
  return points_ > 0 && seasonal_error_ > 0 ? absolute_error_ / points_ / seasonal_error_ : kNone;
}

double ForecastScore::loss() const { return 2 * pinball_ / levels_.size(); }

double ForecastScore::wql() const { return magnitude_ > 0 ? loss() / magnitude_ : kNone; }

double ForecastScore::coverage80() const {
  return points_ > 0 && low_ >= 0 && high_ >= 0 ? static_cast<double>(covered_) / points_ : kNone;
}

}  // namespace aaren::forecasting
