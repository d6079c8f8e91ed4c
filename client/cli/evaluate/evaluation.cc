#include "client/cli/evaluate/evaluation.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>
#include <utility>

#include "aaren/client/client.h"
#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {
namespace {

constexpr uint32_t kStreams = 4;
constexpr size_t kSeriesAtOnce = 16;
constexpr size_t kSilentTokens = 512;  // sent with one call
constexpr size_t kAskingTokens = 64;

// The part of a series that a session streams: from row `begin` to the row of the last origin.
struct Stretch {
  size_t begin;
  absl::Span<const size_t> origins;

  size_t end() const { return origins.back() + 1; }
  bool HasOrigin(size_t row) const { return std::binary_search(origins.begin(), origins.end(), row); }

  // The row before an origin has the forecast. The origin's own row has the surprise of its value in the forecast.
  bool Asks(size_t row) const { return HasOrigin(row + 1) || HasOrigin(row); }
};

std::vector<Stretch> Stretches(const std::vector<size_t>& origins, std::optional<uint64_t> age) {
  // Without an age a single session, begun at row 0, passes all origins.
  if (!age) return {{0, origins}};
  std::vector<Stretch> stretches;
  for (const size_t& origin : origins) stretches.push_back({origin - *age, absl::MakeConstSpan(&origin, 1)});
  return stretches;
}

// Streams one series and scores the forecasts as they come.
class SeriesEvaluation : public SeriesStream {
 public:
  SeriesEvaluation(const EvaluatedSeries& series, const EvaluationOptions& options, const Interrupt& interrupt)
      : series_(series),
        options_(options),
        interrupt_(interrupt),
        covariates_(options.covariates ? series.covariates.get() : nullptr),
        rows_(series.values.begin(), series.values.begin() + static_cast<ptrdiff_t>(series.origins.back() + 1)),
        seasonal_error_(series.values, options.season) {}

  absl::Status Run(client::Client& client, const std::string& id);

  // REQUIRES: Run was OK.
  SeriesScores TakeScores() { return *std::move(scores_); }

 private:
  client::SessionOptions SessionOfStretch(const std::string& id) const;
  size_t tokens() const override { return stretch_.end() - stretch_.begin; }
  absl::Status Send(client::Session& session, size_t begin) override;
  std::vector<float> Future(size_t begin, size_t end) const;

  void OnOpened(client::Session&, const client::Opened& opened) override;
  void OnForecast(client::Session&, const client::Forecast& forecast) override;
  void Score(const client::Forecast& forecast, size_t origin, uint64_t age);

  const EvaluatedSeries& series_;
  const EvaluationOptions& options_;
  const Interrupt& interrupt_;
  const KnownCovariates* const covariates_;  // null: none
  const std::vector<double> rows_;
  Stretch stretch_ = {};          // changes between sessions only
  SeasonalError seasonal_error_;  // the client's thread only, as are the scores, until Run returns
  std::optional<SeriesScores> scores_;
  absl::Status failure_;  // the client's thread only until Run returns
};

absl::Status SeriesEvaluation::Run(client::Client& client, const std::string& id) {
  size_t sessions = 0;
  for (const Stretch& stretch : Stretches(series_.origins, options_.age)) {
    stretch_ = stretch;
    const absl::Status status = Stream(client, SessionOfStretch(absl::StrCat(id, "-", sessions++)), interrupt_);
    if (!status.ok()) return status;
    if (!failure_.ok()) return failure_;
  }
  if (scores_->windows.size() == series_.origins.size()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("server ", options_.server.target, " forecast at ", scores_->windows.size(),
                                          " of ", series_.origins.size(), " origins"));
}

client::SessionOptions SeriesEvaluation::SessionOfStretch(const std::string& id) const {
  client::SessionOptions session{.id = id, .model = options_.server.model, .channels = 1, .delivered_seq = 0};
  if (covariates_ != nullptr) session.covariates = covariates_->count;
  session.profile = options_.refinement.profile;
  for (uint32_t h = 1; h <= options_.horizon; ++h) session.output.horizons.push_back(h);
  session.output.quantiles = options_.levels;
  session.output.surprise = true;
  session.output.relative = true;
  session.output.refinement = options_.refinement.Refinement();
  return session;
}

// Sends tokens in a row that all ask for a forecast, or none of which does.
absl::Status SeriesEvaluation::Send(client::Session& session, size_t begin) {
  const size_t row = stretch_.begin + begin;
  const bool silent = !stretch_.Asks(row);
  // Silent tokens bring no forecasts back, so more of them go with one call.
  const size_t most = std::min(stretch_.end(), row + (silent ? kSilentTokens : kAskingTokens));
  size_t end = row + 1;
  while (end < most && stretch_.Asks(end) != silent) ++end;
  const auto values = absl::MakeConstSpan(rows_).subspan(row, end - row);
  absl::Span<const float> covariates;
  std::vector<float> future;
  if (covariates_ != nullptr) {
    const size_t width = covariates_->count.past + covariates_->count.future;
    covariates = absl::MakeConstSpan(covariates_->rows).subspan(row * width, (end - row) * width);
    future = Future(row, end);
  }
  return session.Send(begin, {.future_values = future, .silent = silent, .doubles = values, .covariates = covariates});
}

// The covariates known in advance at the rows begin .. end - 1: [rows, horizon, future].
std::vector<float> SeriesEvaluation::Future(size_t begin, size_t end) const {
  const auto [past, future] = covariates_->count;
  const std::vector<float>& rows = covariates_->rows;
  std::vector<float> values;
  for (size_t row = begin; row < end; ++row) {
    for (size_t ahead = row + 1; ahead <= row + options_.horizon; ++ahead) {
      for (size_t i = ahead * (past + future) + past; i < (ahead + 1) * (past + future); ++i) {
        values.push_back(i < rows.size() ? rows[i] : std::numeric_limits<float>::quiet_NaN());
      }
    }
  }
  return values;
}

// The scores of a series belong to one model: a canary may forecast different levels.
void SeriesEvaluation::OnOpened(client::Session&, const client::Opened& opened) {
  const std::vector<float>& known = options_.levels.empty() ? opened.model.quantiles : options_.levels;
  const std::vector<double> levels(known.begin(), known.end());
  if (scores_ && scores_->levels != levels) {
    failure_ = absl::FailedPreconditionError(absl::StrCat("begun with model ", scores_->model, ", goes on with ",
                                                          opened.model.FullName(), ", which has other quantiles"));
  }
  if (scores_) return;
  const ForecastScore score(levels);
  scores_.emplace(SeriesScores{score, score, score, score});
  scores_->levels = levels;
  scores_->model = opened.model.FullName();
}

void SeriesEvaluation::OnForecast(client::Session&, const client::Forecast& forecast) {
  if (!failure_.ok()) return;
  const size_t row = stretch_.begin + forecast.seq;
  if (stretch_.HasOrigin(row)) {
    scores_->surprises.push_back(forecast.surprise.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                           : forecast.surprise[0]);
  }
  if (stretch_.HasOrigin(row + 1)) Score(forecast, row + 1, forecast.seq + 1);
}

void SeriesEvaluation::Score(const client::Forecast& forecast, size_t origin, uint64_t age) {
  const absl::Span<const double> series = series_.values;
  const absl::Span<const double> history = series.subspan(0, origin);
  const absl::Span<const double> values = series.subspan(origin, options_.horizon);
  const std::vector<double> quantiles(forecast.values.begin(), forecast.values.end());
  const double offset = forecast.offsets.empty() ? 0.0 : forecast.offsets[0];
  const double error = seasonal_error_.Before(origin);
  scores_->windows.push_back(
      {.origin = origin,
       .age = age,
       .forecast = scores_->forecast.AddWindow(values, quantiles, error, offset),
       .last_value = scores_->last_value.AddPoints(values, LastValue(history, options_.horizon), error),
       .seasonal_naive =
           scores_->seasonal_naive.AddPoints(values, SeasonalNaive(history, options_.season, options_.horizon), error),
       .drift = scores_->drift.AddPoints(values, Drift(history, options_.horizon), error)});
  if (std::binary_search(series_.samples.begin(), series_.samples.end(), origin)) {
    std::vector<float>& sampled = scores_->samples.emplace_back(SampledForecast{origin, {}}).quantiles;
    for (const float value : forecast.values) sampled.push_back(static_cast<float>(forecast.Absolute(0, value)));
  }
}

// Shared by the threads that evaluate.
class Evaluator {
 public:
  Evaluator(const std::vector<EvaluatedSeries>& series, const EvaluationOptions& options, const Interrupt& interrupt,
            const std::function<void(size_t)>& progress)
      : series_(series),
        options_(options),
        interrupt_(interrupt),
        progress_(progress),
        prefix_(NewSessionPrefix()),
        client_(options.server.ClientOptions(kStreams)),
        scores_(series.size()) {}

  absl::StatusOr<std::vector<SeriesScores>> Run();

 private:
  void Work();
  void Finish(size_t i, absl::StatusOr<SeriesScores> scores);

  const std::vector<EvaluatedSeries>& series_;
  const EvaluationOptions& options_;
  const Interrupt& interrupt_;
  const std::function<void(size_t)>& progress_;
  const std::string prefix_;
  client::Client client_;
  std::atomic<size_t> next_ = 0;
  absl::Mutex mutex_;
  size_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);  // the first failure
  std::vector<std::optional<SeriesScores>> scores_ ABSL_GUARDED_BY(mutex_);
};

void Evaluator::Work() {
  for (size_t i; (i = next_++) < series_.size();) {
    SeriesEvaluation evaluation(series_[i], options_, interrupt_);
    const absl::Status status = evaluation.Run(client_, absl::StrCat(prefix_, i));
    if (status.ok()) {
      Finish(i, evaluation.TakeScores());
    } else {
      // The server's words name a field of the protocol; the user knows the flag.
      const bool horizon = absl::StrContains(status.message(), "horizon");
      const std::string flag = horizon ? absl::StrCat(" --horizon=", options_.horizon) : "";
      Finish(i, FromServer(absl::StrCat("evaluate ", series_[i].name, flag), status));
    }
  }
}

void Evaluator::Finish(size_t i, absl::StatusOr<SeriesScores> scores) {
  absl::MutexLock lock(&mutex_);
  if (!scores.ok()) {
    status_.Update(scores.status());
    // After a failure no thread begins another series.
    next_ = series_.size();
    return;
  }
  scores_[i] = *std::move(scores);
  progress_(++done_);
}

absl::StatusOr<std::vector<SeriesScores>> Evaluator::Run() {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::min(kSeriesAtOnce, series_.size()); ++i) threads.emplace_back([this] { Work(); });
  for (std::thread& thread : threads) thread.join();
  absl::MutexLock lock(&mutex_);
  if (!status_.ok()) return status_;
  std::vector<SeriesScores> scores;
  for (std::optional<SeriesScores>& one : scores_) scores.push_back(*std::move(one));
  return scores;
}

}  // namespace

absl::StatusOr<std::vector<size_t>> Origins(size_t rows, const OriginOptions& options) {
  const int64_t count = static_cast<int64_t>(rows);
  const int64_t start = options.start.value_or(count * 8 / 10);
  const int64_t first = start < 0 ? count + start : start;
  const int64_t horizon = static_cast<int64_t>(options.horizon);
  if (first < 1 || first > count - horizon) {
    return absl::InvalidArgumentError(
        absl::StrCat(rows, " rows leave no room for an origin at row ", first, " and ", horizon, " rows from there"));
  }
  const int64_t gaps = options.windows.value_or(1) - 1;
  const int64_t spread = gaps > 0 ? std::max<int64_t>(1, (count - horizon - first) / gaps) : 1;
  // A stride beyond the rows means a single origin, and must not overflow below.
  const int64_t stride = std::min(options.stride.value_or(spread), count);
  std::vector<size_t> origins;
  for (int64_t row = first; row <= count - horizon; row += stride) {
    if (options.windows && static_cast<int64_t>(origins.size()) >= *options.windows) break;
    origins.push_back(static_cast<size_t>(row));
  }
  return origins;
}

absl::StatusOr<std::vector<SeriesScores>> Evaluate(const std::vector<EvaluatedSeries>& series,
                                                   const EvaluationOptions& options, const Interrupt& interrupt,
                                                   const std::function<void(size_t)>& progress) {
  for (const EvaluatedSeries& one : series) {
    if (options.age && (*options.age < 1 || *options.age > one.origins[0])) {
      return absl::InvalidArgumentError(absl::StrCat(one.name, ": the first origin, at row ", one.origins[0],
                                                     ", has no session of ", *options.age, " tokens before it"));
    }
  }
  return Evaluator(series, options, interrupt, progress).Run();
}

}  // namespace aaren::cli
