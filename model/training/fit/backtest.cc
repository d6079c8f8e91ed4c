#include "model/training/fit/backtest.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/season/lag_bank.h"
#include "model/tasks/forecasting/metrics.h"
#include "model/training/fit/session.h"

namespace aaren::training {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Forecasts of points: `forecast(series, origin, step)` is the value of row origin + step, or NaN.
Forecasts PointForecasts(const Backtest& backtest,
                         const std::function<double(const BacktestSeries&, size_t, size_t)>& forecast) {
  Forecasts all;
  for (const BacktestSeries& series : backtest.series) {
    all.emplace_back();
    for (size_t origin : series.origins) {
      WindowQuantiles window;
      for (int step = 0; step < backtest.horizon; ++step) {
        window.insert(window.end(), backtest.levels.size(), forecast(series, origin, step));
      }
      const bool whole = std::none_of(window.begin(), window.end(), [](double value) { return std::isnan(value); });
      all.back().push_back(whole ? std::move(window) : WindowQuantiles());
    }
  }
  return all;
}

// The newest value present among rows at, at - stride, ...; NaN if all are missing.
double NewestPresent(const std::vector<double>& values, int64_t at, int64_t stride) {
  while (at >= 0 && std::isnan(values[at])) at -= stride;
  return at >= 0 ? values[at] : kNone;
}

// The mean error of a seasonal naive forecast over its rows: those beyond a season repeat a season further back. Judged
// by the first rows alone, the shortest lag would win on every smooth series.
double SeasonalNaiveError(absl::Span<const double> values, int season, int horizon) {
  double error = 0;
  for (int first = 0; first < horizon; first += season) {
    error += std::min(season, horizon - first) * forecasting::SeasonalError(values, first + season) / horizon;
  }
  return error;
}

void AddWindow(const Backtest& backtest, const BacktestSeries& series, size_t origin, const WindowQuantiles& window,
               forecasting::ForecastScore& score) {
  const size_t levels = backtest.levels.size();
  for (int step = 0; step < backtest.horizon; ++step) {
    score.Add(series.values[origin + step], {window.data() + step * levels, levels});
  }
}

std::string Number(double value) { return std::isnan(value) ? "-" : absl::StrFormat("%.4f", value); }

}  // namespace

std::vector<size_t> Origins(size_t first, size_t rows, int horizon, size_t most) {
  const auto length = static_cast<size_t>(horizon);
  if (first == 0 || first + length > rows || most == 0) return {};
  const size_t last = rows - length, room = last - first;
  const size_t count = std::min(most, room / length + 1);
  std::vector<size_t> origins;
  for (size_t i = 0; i < count; ++i) origins.push_back(count == 1 ? last : first + room * i / (count - 1));
  return origins;
}

int LikelySeason(absl::Span<const double> values, int horizon) {
  int likely = 1;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = season::kFirstSeason; i < season::kLagCount; ++i) {
    const int lag = season::kLags[i];
    if (3 * static_cast<size_t>(lag) + static_cast<size_t>(horizon) > values.size()) break;
    const double error = SeasonalNaiveError(values, lag, horizon);
    if (!(error < least)) continue;
    least = error;
    likely = lag;
  }
  return likely;
}

absl::StatusOr<Forecasts> ModelForecasts(const package::ModelPackage& package, const Backtest& backtest) {
  const package::ForecasterConfig& config = package.config;
  const bool same = std::equal(config.quantiles.begin(), config.quantiles.end(), backtest.levels.begin(),
                               backtest.levels.end(), [](float a, double b) { return a == static_cast<float>(b); });
  if (!same || config.horizon < backtest.horizon) {
    return absl::InvalidArgumentError(absl::StrCat("package ", package.name,
                                                   " has other quantiles than the backtest or forecasts fewer than ",
                                                   backtest.horizon, " steps"));
  }
  const absl::StatusOr<std::unique_ptr<engine::Engine>> engine = NewSessionEngine(package, backtest.covariates);
  if (!engine.ok()) return engine.status();
  Forecasts forecasts;
  for (const BacktestSeries& series : backtest.series) {
    auto windows = StreamSeries(**engine, backtest, series);
    if (!windows.ok())
      return absl::Status(windows.status().code(), absl::StrCat(series.name, ": ", windows.status().message()));
    forecasts.push_back(*std::move(windows));
  }
  return forecasts;
}

Forecasts LastValueForecasts(const Backtest& backtest) {
  return PointForecasts(backtest, [](const BacktestSeries& series, size_t origin, size_t) {
    return NewestPresent(series.values, static_cast<int64_t>(origin) - 1, 1);
  });
}

Forecasts SeasonalNaiveForecasts(const Backtest& backtest) {
  return PointForecasts(backtest, [](const BacktestSeries& series, size_t origin, size_t step) {
    const auto at = static_cast<int64_t>(origin - series.season + step % series.season);
    return NewestPresent(series.values, at, series.season);
  });
}

MethodScore ScoreForecasts(std::string name, const Backtest& backtest, const Forecasts& forecasts) {
  MethodScore scores = {.name = std::move(name), .losses = {}};
  forecasting::ForecastScore pool(backtest.levels, kNone);
  double mase = 0;
  int scaled = 0;
  for (size_t s = 0; s < backtest.series.size(); ++s) {
    const BacktestSeries& series = backtest.series[s];
    const size_t known = series.origins.empty() ? 0 : series.origins.front();
    const double error = forecasting::SeasonalError({series.values.data(), known}, series.season);
    forecasting::ForecastScore whole(backtest.levels, error);
    scores.losses.emplace_back();
    for (size_t i = 0; i < series.origins.size(); ++i) {
      forecasting::ForecastScore window(backtest.levels, error);
      if (!forecasts[s][i].empty()) AddWindow(backtest, series, series.origins[i], forecasts[s][i], window);
      scores.losses.back().push_back(window.points() > 0 ? window.loss() : kNone);
      scores.windows += window.points() > 0;
      whole.Pool(window);
    }
    pool.Pool(whole);
    if (std::isnan(whole.mase())) continue;
    mase += whole.mase();
    ++scaled;
  }
  scores.mase = scaled > 0 ? mase / scaled : kNone;
  scores.wql = pool.wql();
  scores.coverage80 = pool.coverage80();
  return scores;
}

LossChange CompareLosses(const MethodScore& method, const MethodScore& reference) {
  std::vector<double> changes;
  for (size_t s = 0; s < reference.losses.size(); ++s) {
    std::vector<double> differences;
    double unit = 0;
    for (size_t i = 0; i < reference.losses[s].size(); ++i) {
      const double difference = method.losses[s][i] - reference.losses[s][i];
      if (std::isnan(difference)) continue;
      differences.push_back(difference);
      unit += reference.losses[s][i];
    }
    unit /= static_cast<double>(differences.size());
    // A series that the reference forecasts without any error has no unit.
    for (double difference : differences) changes.push_back(unit > 0 ? difference / unit : (difference > 0) * 1.0);
  }
  const auto count = static_cast<double>(changes.size());
  if (changes.empty()) return {.mean = kNone, .standard_error = kNone};
  double mean = 0, variance = 0;
  for (double change : changes) mean += change / count;
  for (double change : changes) variance += (change - mean) * (change - mean) / (count - 1);
  return {.mean = mean, .standard_error = std::sqrt(variance / count)};
}

std::string BacktestTable(absl::Span<const MethodScore> scores) {
  std::string text = absl::StrFormat("%-28s %9s %9s %9s %8s\n", "", "MASE", "WQL", "in 80 %", "windows");
  for (const MethodScore& score : scores) {
    absl::StrAppend(&text, absl::StrFormat("%-28s %9s %9s %9s %8d\n", score.name, Number(score.mase), Number(score.wql),
                                           Number(score.coverage80), score.windows));
  }
  return text;
}

}  // namespace aaren::training
