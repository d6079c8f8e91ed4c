#include "client/cli/evaluate/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace aaren::cli {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kSameLevel = 1e-4;  // levels come as float32

size_t Nearest(const std::vector<double>& levels, double wanted) {
  const auto nearer = [&](double a, double b) { return std::abs(a - wanted) < std::abs(b - wanted); };
  return static_cast<size_t>(std::min_element(levels.begin(), levels.end(), nearer) - levels.begin());
}

double Ratio(double sum, uint64_t count) { return count == 0 ? kNone : sum / static_cast<double>(count); }

}  // namespace

ForecastScore::ForecastScore(const std::vector<double>& levels) : median_(Nearest(levels, 0.5)) {
  for (size_t i = 0; i < levels.size(); ++i) {
    const size_t nearest = Nearest(levels, 1 - levels[i]);
    const bool opposite = std::abs(levels[nearest] - (1 - levels[i])) < kSameLevel;
    levels_.push_back({.level = levels[i], .opposite = opposite ? nearest : i});
    // Levels ascend: the last one with an opposite below has the widest interval.
    if (opposite && nearest < i) high_ = i;
  }
}

double ForecastScore::Pinball(double value, absl::Span<const double> quantiles) {
  double loss = 0;
  for (size_t i = 0; i < levels_.size(); ++i) {
    Level& level = levels_[i];
    const double error = value - quantiles[i];
    // A value above the quantile costs `level` of the distance, a value below costs 1 - level.
    const double pinball = std::max(level.level * error, (level.level - 1) * error);
    level.pinball += pinball;
    loss += pinball;
  }
  return loss;
}

void ForecastScore::Cover(size_t step, double value, absl::Span<const double> quantiles) {
  // A forecast is a float. A value becomes a float, too, before the two are compared: else a forecast of 21.3 would
  // miss the value 21.3.
  const float seen = static_cast<float>(value);
  const auto quantile = [&](size_t i) { return static_cast<float>(quantiles[i]); };
  for (size_t i = 0; i < levels_.size(); ++i) {
    Level& level = levels_[i];
    const bool below = seen <= quantile(i);
    const bool inside = below && level.opposite < i && seen >= quantile(level.opposite);
    level.below += below ? 1 : 0;
    level.inside += inside ? 1 : 0;
    if (i == high_) steps_[step].inside += inside ? 1 : 0;
  }
  ++steps_[step].points;
  ++points_;
}

WindowScore ForecastScore::AddWindow(absl::Span<const double> values, absl::Span<const double> quantiles,
                                     double seasonal_error, double offset) {
  double error = 0, pinball = 0, magnitude = 0;
  uint64_t present = 0;
  if (steps_.size() < values.size()) steps_.resize(values.size());
  for (size_t h = 0; h < values.size(); ++h) {
    const absl::Span<const double> forecast = quantiles.subspan(h * levels_.size(), levels_.size());
    // A missing value scores nothing, and neither does a naive forecast without a past.
    if (std::isnan(values[h]) || std::isnan(forecast[median_])) continue;
    const double value = values[h] - offset;
    pinball += Pinball(value, forecast);
    magnitude += std::abs(values[h]);
    Cover(h, value, forecast);
    error += std::abs(value - forecast[median_]);
    ++present;
  }
  ++windows_;
  pinball_ += pinball;
  magnitude_ += magnitude;
  // Twice the pinball loss at the median is the absolute error.
  const double loss = 2 * pinball / static_cast<double>(levels_.size());
  const auto scaled = [&](double sum) { return seasonal_error > 0 ? Ratio(sum, present) / seasonal_error : kNone; };
  const WindowScore score = {.mase = scaled(error), .loss = loss, .magnitude = magnitude, .sql = scaled(loss)};
  if (!std::isnan(score.mase)) {
    scaled_error_ += score.mase;
    scaled_loss_ += score.sql;
    ++scaled_windows_;
  }
  return score;
}

WindowScore ForecastScore::AddPoints(absl::Span<const double> values, absl::Span<const double> points,
                                     double seasonal_error) {
  std::vector<double> quantiles;
  for (double point : points) quantiles.insert(quantiles.end(), levels_.size(), point);
  return AddWindow(values, quantiles, seasonal_error);
}

void ForecastScore::Pool(const ForecastScore& other) {
  pinball_ += other.pinball_;
  magnitude_ += other.magnitude_;
  for (size_t i = 0; i < std::min(levels_.size(), other.levels_.size()); ++i) {
    levels_[i].pinball += other.levels_[i].pinball;
    levels_[i].below += other.levels_[i].below;
    levels_[i].inside += other.levels_[i].inside;
  }
  points_ += other.points_;
  steps_.resize(std::max(steps_.size(), other.steps_.size()));
  for (size_t i = 0; i < other.steps_.size(); ++i) {
    steps_[i].inside += other.steps_[i].inside;
    steps_[i].points += other.steps_[i].points;
  }
  windows_ += other.windows_;
}

double ForecastScore::mase() const { return Ratio(scaled_error_, scaled_windows_); }

double ForecastScore::sql() const { return Ratio(scaled_loss_, scaled_windows_); }

double ForecastScore::wql() const {
  return magnitude_ > 0 ? 2 * pinball_ / static_cast<double>(levels_.size()) / magnitude_ : kNone;
}

double ForecastScore::interval() const {
  return high_ == 0 ? kNone : levels_[high_].level - levels_[levels_[high_].opposite].level;
}

std::vector<LevelScore> ForecastScore::ByLevel() const {
  std::vector<LevelScore> scores;
  for (size_t i = 0; i < levels_.size(); ++i) {
    const Level& level = levels_[i];
    scores.push_back({.level = level.level,
                      .wql = magnitude_ > 0 ? 2 * level.pinball / magnitude_ : kNone,
                      .below = Ratio(static_cast<double>(level.below), points_),
                      .inside = level.opposite < i ? Ratio(static_cast<double>(level.inside), points_) : kNone});
  }
  return scores;
}

double ForecastScore::coverage() const {
  if (high_ == 0) return kNone;
  Covered all;
  for (const Covered& step : steps_) {
    all.inside += step.inside;
    all.points += step.points;
  }
  return Ratio(static_cast<double>(all.inside), all.points);
}

double ForecastScore::coverage(size_t step) const {
  return high_ == 0 ? kNone : Ratio(static_cast<double>(steps_[step].inside), steps_[step].points);
}

double SeasonalError::Before(size_t end) {
  // The sum grows with the prefix: no row is looked at twice.
  for (; next_ < end; ++next_) {
    const double difference = std::abs(series_[next_] - series_[next_ - season_]);
    if (std::isnan(difference)) continue;
    sum_ += difference;
    ++pairs_;
  }
  return Ratio(sum_, pairs_);
}

std::vector<double> LastValue(absl::Span<const double> history, size_t horizon) {
  const auto present = [](double value) { return !std::isnan(value); };
  const auto last = std::find_if(history.rbegin(), history.rend(), present);
  return std::vector<double>(horizon, last == history.rend() ? kNone : *last);
}

std::vector<double> SeasonalNaive(absl::Span<const double> history, size_t season, size_t horizon) {
  std::vector<double> points(horizon, kNone);
  for (size_t h = 0; h < horizon; ++h) {
    // `back` rows before the origin is the same phase as step h, in the latest season, then in earlier ones.
    for (size_t back = season - h % season; back <= history.size() && std::isnan(points[h]); back += season) {
      points[h] = history[history.size() - back];
    }
  }
  return points;
}

std::vector<double> Drift(absl::Span<const double> history, size_t horizon) {
  const auto present = [](double value) { return !std::isnan(value); };
  const auto first = std::find_if(history.begin(), history.end(), present);
  std::vector<double> points(horizon, kNone);
  if (first == history.end()) return points;
  const auto last = std::find_if(history.rbegin(), history.rend(), present).base() - 1;
  // A single value has no slope.
  const double slope = last == first ? 0 : (*last - *first) / static_cast<double>(last - first);
  const double ahead = static_cast<double>(history.end() - last);  // rows from the latest value to the origin
  for (size_t h = 0; h < horizon; ++h) points[h] = *last + slope * (ahead + static_cast<double>(h));
  return points;
}

}  // namespace aaren::cli
