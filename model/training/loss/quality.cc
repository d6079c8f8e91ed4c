#include "model/training/loss/quality.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "model/tasks/forecasting/metrics.h"

namespace aaren::training {
namespace {

constexpr int kHorizon = 24, kBefore = 4096;  // values: of a forecast; of a session before the scored part
constexpr double kLargestError = 12;          // deviations; a larger error is chance
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

int HorizonOf(const package::ForecasterConfig& config) { return std::min(kHorizon, config.horizon); }

// The tokens of one series: the first values of the session and of the scored part, and the tokens that forecast.
struct Windows {
  int64_t session = 0, scored = 0;
  std::vector<int64_t> positions;  // every token that folds
  std::vector<size_t> origins;     // tokens whose forecasts count
};

Windows WindowsOf(const package::ForecasterConfig& config, int64_t size) {
  Windows windows;
  windows.scored = size - size / 5;
  windows.session = std::max<int64_t>(0, windows.scored - kBefore);
  int64_t next = windows.scored;
  // The tokens are those that fold in a session (rule 4.4), so the module needs no peeks.
  for (int64_t at = config.fold_every - 1; windows.session + at < size; at += config.fold_every) {
    const int64_t t = windows.session + at;
    windows.positions.push_back(at);
    if (t < next || t + HorizonOf(config) >= size) continue;
    windows.origins.push_back(windows.positions.size() - 1);
    next = t + HorizonOf(config);
  }
  return windows;
}

struct Scores {
  double forecast = kNone, naive = kNone;  // MASE
};

// The value a whole number of seasons earlier, the latest known at `origin`.
double SeasonalNaive(const std::vector<double>& values, int64_t origin, int step, int season) {
  const int64_t at = origin + step - (step + season - 1) / season * static_cast<int64_t>(season);
  return at >= 0 ? values[at] : kNone;
}

Scores ScoreSeries(nn::Forecaster& forecaster, const std::vector<double>& values, int season) {
  const package::ForecasterConfig& config = forecaster->config;
  const Windows windows = WindowsOf(config, static_cast<int64_t>(values.size()));
  if (windows.origins.empty()) return {};
  const torch::Tensor session = torch::tensor(std::vector<double>(values.begin() + windows.session, values.end()));
  const torch::Tensor medians = forecaster->Forecast(session.to(torch::kFloat64).unsqueeze(0), windows.positions)
                                    .select(-1, config.quantile_count() / 2)
                                    .squeeze(0)
                                    .contiguous();  // [K, T]
  const double error = forecasting::SeasonalError({values.data(), static_cast<size_t>(windows.scored)}, season);
  forecasting::ForecastScore forecast({0.5}, error), naive({0.5}, error);
  for (size_t origin : windows.origins) {
    const int64_t t = windows.session + windows.positions[origin];
    for (int step = 1; step <= HorizonOf(config); ++step) {
      const double before = SeasonalNaive(values, t, step, season);
      // Forecast and naive are scored at the same values, or neither.
      if (std::isnan(before)) continue;
      forecast.Add(values[t + step], {medians[origin].data_ptr<double>() + step - 1, 1});
      naive.Add(values[t + step], {&before, 1});
    }
  }
  return {.forecast = forecast.mase(), .naive = naive.mase()};
}

}  // namespace

absl::Status CheckValidationFile(const package::ForecasterConfig& config, const ValidationFile& file) {
  if (file.season < 1) {
    return absl::InvalidArgumentError(absl::StrCat(file.name, ": season is ", file.season, ", must be at least 1"));
  }
  size_t longest = 0;
  for (const forecasting::CsvSeries& one : file.series) longest = std::max(longest, one.values.size());
  if (!WindowsOf(config, static_cast<int64_t>(longest)).origins.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(file.name, ": the longest series has ", longest,
                                                 " values; its last fifth has no room for a forecast of ",
                                                 HorizonOf(config)));
}

FileQuality Score(nn::Forecaster& forecaster, const ValidationFile& file) {
  torch::NoGradGuard no_grad;
  double sum = 0, logs = 0;
  int count = 0;
  for (const forecasting::CsvSeries& one : file.series) {
    const Scores scores = ScoreSeries(forecaster, one.values, file.season);
    // A logarithm needs both errors above 0.
    if (!(scores.forecast > 0 && scores.naive > 0)) continue;
    sum += scores.forecast;
    logs += std::log(scores.forecast / scores.naive);
    ++count;
  }
  return count > 0 ? FileQuality{.mase = sum / count, .relative = std::exp(logs / count)} : FileQuality{kNone, kNone};
}

HeldOutQuality Score(nn::Forecaster& forecaster, const Batch& held_out) {
  torch::NoGradGuard no_grad;
  const package::ForecasterConfig& config = forecaster->config;
  const torch::Tensor at = torch::tensor(held_out.positions, torch::kInt64);
  const torch::Tensor ahead = at.unsqueeze(1) + 1 + torch::arange(config.horizon, torch::kInt64);  // [K, T]
  const torch::Tensor future =
      held_out.values.index_select(1, ahead.flatten()).view({held_out.values.size(0), -1, config.horizon});
  const torch::Tensor last = held_out.values.index_select(1, at).unsqueeze(-1);
  const nn::Encoding encoding = nn::Encode(config, held_out.values, held_out.positions, torch::kFloat64);
  const torch::Tensor quantiles = forecaster->Forecast(held_out.values, held_out.positions);
  const torch::Tensor counts = ~(future - last).isnan() & (encoding.spread > 0).unsqueeze(-1) & held_out.Scored(ahead);
  const auto mean = [&](const torch::Tensor& x) { return x.masked_select(counts).mean().item<double>(); };
  const torch::Tensor median = quantiles.select(-1, config.quantile_count() / 2), scale = encoding.scale.unsqueeze(-1);
  HeldOutQuality quality;
  const auto error = [&](const torch::Tensor& x) {
    return mean(((future - x).abs() / scale).clamp_max(kLargestError));
  };
  quality.relative = error(median) / error(last);
  const bool tenths = config.quantiles.front() == 0.1f && config.quantiles.back() == 0.9f;
  const torch::Tensor inside = (future >= quantiles.select(-1, 0)) & (future <= quantiles.select(-1, -1));
  quality.coverage80 = tenths ? mean(inside.to(torch::kFloat64)) : kNone;
  return quality;
}

}  // namespace aaren::training
