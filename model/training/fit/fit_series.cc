#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "model/nn/forecaster/export.h"
#include "model/package/bundled.h"
#include "model/package/package.h"
#include "model/tasks/forecasting/series_csv.h"
#include "model/training/fit/backtest.h"
#include "model/training/fit/fit.h"
#include "model/training/fit/fit_data.h"
#include "model/training/fit/fit_output.h"
#include "model/training/fit/session.h"
#include "model/training/fit/statsforecast.h"
#include "model/training/program/cpu.h"
#include "model/training/program/progress.h"
#include "model/training/report/run_record.h"
#include "model/training/source.h"
#include "model/training/trainer.h"

namespace aaren::training {
namespace {

constexpr int kLongestWindow = 24, kShortestContext = 64, kLongestContext = 1024;  // rows

TrainOptions FitOptions(const FitLine& line, const package::ModelPackage& reference, size_t longest) {
  TrainOptions options;
  if (line.anew) {
    options.config.seasons = true;
    options.config.horizon = line.horizon;
  } else {
    options.config = reference.config;
    options.init = reference;
  }
  options.optimizer.rate *= line.RateFactor();
  options.optimizer.muon_rate *= line.RateFactor();
  options.seed = line.seed;
  options.steps = line.steps;
  options.rows = line.batch;
  options.context = std::clamp(static_cast<int>(longest / 2), kShortestContext, kLongestContext);
  options.validate_every = options.checkpoint_every = line.check_every;
  options.patience = line.patience;
  options.checkpoint = line.checkpoint;
  options.data = absl::StrCat(line.csv, ":", absl::StrJoin(line.columns, ","), ":", line.series_column, ":",
                              absl::StrJoin(line.past, ","), ":", absl::StrJoin(line.future, ","), ":", line.missing);
  options.keeps_best_when_stopped = true;
  return options;
}

// True if no check of a run that began with a package was better than that before the first step.
bool FirstWasBest(const TrainResult& result) {
  const std::vector<HeldOutCheck>& checks = result.history.checks();
  return !checks.empty() && checks.front().step == 0 && checks.front().loss <= result.held_out_loss;
}

engine::Extension CovariatesOf(const FitLine& line) {
  return {.past = static_cast<uint32_t>(line.past.size()), .future = static_cast<uint32_t>(line.future.size())};
}

// The series to train on, without the rows held back. A session's network sees a series less the effects of future
// covariates, and so does the training, by the effects that sessions of the reference find.
absl::StatusOr<std::vector<forecasting::CsvSeries>> TrainingSeries(const FitLine& line,
                                                                   const package::ModelPackage& reference, int horizon,
                                                                   const std::vector<BacktestSeries>& series) {
  const absl::StatusOr<std::unique_ptr<engine::Engine>> engine = NewSessionEngine(reference, CovariatesOf(line));
  if (!engine.ok()) return engine.status();
  std::vector<forecasting::CsvSeries> all;
  for (BacktestSeries one : series) {
    one.values.resize(one.values.size() - HeldBack(one.values.size(), horizon));
    if (line.future.empty()) {
      all.push_back({.name = one.name, .values = std::move(one.values)});
      continue;
    }
    absl::StatusOr<std::vector<double>> less = LessCovariates(**engine, CovariatesOf(line), one);
    if (!less.ok()) return less.status();
    all.push_back({.name = one.name, .values = *std::move(less)});
  }
  return all;
}

absl::StatusOr<package::ModelPackage> TrainFit(const FitLine& line, const TrainOptions& options,
                                               std::vector<forecasting::CsvSeries> series,
                                               const std::function<bool()>& goes_on) {
  const std::unique_ptr<SeriesSource> source = CsvSource(std::move(series), line.seed, options.config.horizon);
  absl::StatusOr<TrainResult> result;
  {
    Progress progress(isatty(STDERR_FILENO) == 1);
    result = Train(options, *source, [&](const TrainProgress& now) {
      progress.Show(now);
      return goes_on();
    });
  }
  if (!result.ok()) return result.status();
  RunRecord record = RecordHere(line.threads);
  record.command = line.command;
  record.data = "csv";
  record.seed = record.data_seed = line.seed;
  package::ModelPackage package = nn::ToPackage(result->forecaster);
  nn::RoundMatrices(package);
  package.name = line.name;
  package.description = line.description;
  package.training = TrainingSummary(record, *result);
  if (options.init.has_value()) package.training["from"] = options.init->digest;
  absl::FPrintF(stderr, "trained %d steps in %.0f s%s\n", result->steps, result->seconds,
                FirstWasBest(*result) ? ", none better than the weights to begin with" : "");
  return package;
}

Backtest FitBacktest(const FitLine& line, const package::ForecasterConfig& config, std::vector<BacktestSeries> series) {
  Backtest backtest = {.horizon = std::min(kLongestWindow, config.horizon),
                       .levels = {config.quantiles.begin(), config.quantiles.end()},
                       .covariates = CovariatesOf(line),
                       .series = std::move(series)};
  const size_t windows = std::max<size_t>(1, line.windows / backtest.series.size());
  for (BacktestSeries& one : backtest.series) {
    const size_t rows = one.values.size(), first = rows - HeldBack(rows, config.horizon);
    one.season = line.season > 0 ? line.season : LikelySeason({one.values.data(), first}, backtest.horizon);
    one.origins = Origins(first, rows, backtest.horizon, windows);
  }
  return backtest;
}

std::string SeasonsText(const Backtest& backtest) {
  std::vector<std::string> seasons;
  for (const BacktestSeries& one : backtest.series) seasons.push_back(absl::StrCat(one.season));
  seasons.erase(std::unique(seasons.begin(), seasons.end()), seasons.end());
  if (seasons.size() > 5) return "seasonal naive";
  return absl::StrCat("seasonal naive (", absl::StrJoin(seasons, ", "), ")");
}

// Scores of what every forecaster has to beat.
std::vector<MethodScore> SimpleScores(const Backtest& backtest, int jobs) {
  std::vector<MethodScore> scores = {ScoreForecasts("last value", backtest, LastValueForecasts(backtest)),
                                     ScoreForecasts(SeasonsText(backtest), backtest, SeasonalNaiveForecasts(backtest))};
  const std::vector<std::string> methods = {"AutoETS", "AutoTheta"};
  absl::FPrintF(stderr, "comparing, also with AutoETS and AutoTheta where python3 has them\n");
  const absl::StatusOr<std::vector<Forecasts>> fitted = StatsforecastForecasts(methods, backtest, jobs);
  if (!fitted.ok()) {
    absl::FPrintF(stderr, "aaren-train: without AutoETS and AutoTheta: %s\n", fitted.status().message());
    return scores;
  }
  for (size_t i = 0; i < methods.size(); ++i) scores.push_back(ScoreForecasts(methods[i], backtest, (*fitted)[i]));
  return scores;
}

// The comparison of the two models, in a sentence.
std::string Verdict(const LossChange& change, const std::string& reference) {
  if (std::isnan(change.mean)) return "No window of the held-back rows has a value, so nothing can be compared";
  const double percent = 100 * std::fabs(change.mean), error = 100 * change.standard_error;
  return absl::StrFormat("The new model's quantile loss is %.1f %% %s than that of %s (standard error %.1f %%%s)",
                         percent, change.mean < 0 ? "lower" : "higher", reference, error,
                         percent < 2 * error ? ": may be chance" : "");
}

}  // namespace

absl::Status FitSeries(const FitLine& line, const std::function<bool()>& goes_on) {
  UseCpu(line.threads, false);
  const absl::StatusOr<std::string> from =
      line.from.empty() ? package::BundledPackage("aaren-univariate") : absl::StatusOr<std::string>(line.from);
  if (!from.ok()) return from.status();
  const absl::StatusOr<package::ModelPackage> reference = package::LoadPackage(*from);
  if (!reference.ok()) return reference.status();
  const int horizon = line.anew ? line.horizon : reference->config.horizon;
  absl::StatusOr<std::vector<BacktestSeries>> series = ReadFitData(line, horizon);
  if (!series.ok()) return series.status();
  size_t longest = 0;
  for (const auto& one : *series) longest = std::max(longest, one.values.size());
  const TrainOptions options = FitOptions(line, *reference, longest);
  const FitOutput output(line);
  if (absl::Status status = output.Check(); !status.ok()) return status;
  absl::StatusOr<std::vector<forecasting::CsvSeries>> training = TrainingSeries(line, *reference, horizon, *series);
  if (!training.ok()) return training.status();
  const Backtest backtest = FitBacktest(line, options.config, *std::move(series));
  // Before the training, which would be lost if the package cannot be compared.
  const absl::StatusOr<Forecasts> others = ModelForecasts(*reference, backtest);
  if (!others.ok()) return others.status();
  absl::StatusOr<package::ModelPackage> fitted = TrainFit(line, options, *std::move(training), goes_on);
  if (!fitted.ok()) return fitted.status();
  const absl::StatusOr<Forecasts> own = ModelForecasts(*fitted, backtest);
  if (!own.ok()) return own.status();
  std::vector<MethodScore> scores = {ScoreForecasts(line.name, backtest, *own),
                                     ScoreForecasts(reference->name, backtest, *others)};
  const LossChange change = CompareLosses(scores[0], scores[1]);
  for (MethodScore& score : SimpleScores(backtest, line.threads)) scores.push_back(std::move(score));
  absl::PrintF("%s%s.\n", BacktestTable(scores), Verdict(change, reference->name));
  return output.Conclude(change.mean < 0, reference->name, [&] { return package::SavePackage(line.output, *fitted); });
}

}  // namespace aaren::training
