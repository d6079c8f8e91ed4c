#include "client/cli/evaluation.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "client/cli/report.h"
#include "client/cpp/client.h"

namespace aaren::cli {
namespace {

constexpr uint32_t kStreams = 4;
constexpr size_t kSeriesAtOnce = 16;
constexpr size_t kSilentTokens = 512;  // sent with one call
constexpr size_t kAskingTokens = 64;

// Streams one series and scores the forecasts as they come.
class SeriesEvaluation : private client::Listener {
 public:
  SeriesEvaluation(const EvaluatedSeries& series, const EvaluationOptions& options, const Interrupt& interrupt)
      : series_(series),
        options_(options),
        interrupt_(interrupt),
        tokens_(series.values.begin(), series.values.begin() + static_cast<ptrdiff_t>(series.origins.back())),
        seasonal_error_(series.values, options.season) {}

  absl::Status Run(client::Client& client, const std::string& id);

  // REQUIRES: Run was OK.
  SeriesScores TakeScores() { return *std::move(scores_); }

 private:
  absl::Status Send(client::Session& session, uint64_t& seq);

  void OnOpened(client::Session&, const v1::Opened& opened) override;
  void OnForecast(client::Session&, const client::Forecast& forecast) override;
  bool OnRewind(client::Session&, uint64_t) override { return true; }

  const EvaluatedSeries& series_;
  const EvaluationOptions& options_;
  const Interrupt& interrupt_;
  const std::vector<float> tokens_;
  SeasonalError seasonal_error_;  // of the client's thread until Run returns, as are the scores
  std::optional<SeriesScores> scores_;
};

absl::Status SeriesEvaluation::Run(client::Client& client, const std::string& id) {
  client::SessionOptions session{.id = id, .model = options_.model, .channels = 1, .delivered_seq = 0};
  for (uint32_t h = 1; h <= options_.horizon; ++h) session.output.add_horizons(h);
  absl::StatusOr<std::unique_ptr<client::Session>> opened = client.Open(std::move(session), *this);
  if (!opened.ok()) return opened.status();
  absl::Status status = (*opened)->WaitOpened().status();
  for (uint64_t seq = 0; status.ok();) {
    while (status.ok() && seq < tokens_.size() && !interrupt_.stopped()) status = Send(**opened, seq);
    if (status.ok()) status = (*opened)->Close(/*delete_session=*/true);
    if (!absl::IsOutOfRange(status)) break;
    seq = (*opened)->next_seq();
    status = absl::OkStatus();
  }
  return status.ok() && interrupt_.stopped() ? absl::CancelledError("interrupted") : status;
}

// Sends the tokens up to the next origin's, or, there, all in a row that ask for a forecast.
absl::Status SeriesEvaluation::Send(client::Session& session, uint64_t& seq) {
  const auto next = std::lower_bound(series_.origins.begin(), series_.origins.end(), seq + 1);
  uint64_t end = std::min<uint64_t>(*next - 1, seq + kSilentTokens);
  const bool silent = end > seq;
  for (auto origin = next; !silent && origin != series_.origins.end() && *origin == end + 1; ++origin) {
    if (++end == seq + kAskingTokens) break;
  }
  const auto values = absl::MakeConstSpan(tokens_).subspan(seq, end - seq);
  absl::Status sent = session.Send(seq, {.values = values, .silent = silent});
  if (absl::IsOutOfRange(sent)) {
    seq = session.next_seq();
    return absl::OkStatus();
  }
  seq = end;
  return sent;
}

void SeriesEvaluation::OnOpened(client::Session&, const v1::Opened& opened) {
  if (scores_) return;
  const std::vector<double> levels(opened.model().quantiles().begin(), opened.model().quantiles().end());
  const ForecastScore score(levels);
  scores_.emplace(SeriesScores{score, score, score});
}

void SeriesEvaluation::OnForecast(client::Session&, const client::Forecast& forecast) {
  const size_t origin = forecast.seq + 1;
  const absl::Span<const double> series = series_.values;
  const absl::Span<const double> history = series.subspan(0, origin);
  const absl::Span<const double> values = series.subspan(origin, options_.horizon);
  const std::vector<double> quantiles(forecast.values.begin(), forecast.values.end());
  const double error = seasonal_error_.Before(origin);
  scores_->forecast.AddWindow(values, quantiles, error);
  scores_->last_value.AddPoints(values, LastValue(history, options_.horizon), error);
  scores_->seasonal_naive.AddPoints(values, SeasonalNaive(history, options_.season, options_.horizon), error);
}

// What the threads that evaluate share.
class Evaluator {
 public:
  Evaluator(const std::vector<EvaluatedSeries>& series, const EvaluationOptions& options, const Interrupt& interrupt,
            const std::function<void(size_t)>& progress)
      : series_(series),
        options_(options),
        interrupt_(interrupt),
        progress_(progress),
        prefix_(absl::StrFormat("evaluate-%016x-", absl::Uniform<uint64_t>(absl::BitGen()))),
        client_({.target = options.target,
                 .streams = kStreams,
                 .name = "aaren evaluate",
                 .connect_timeout = options.connect_timeout,
                 .reconnect_timeout = options.connect_timeout}),
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
      Finish(i, FromServer(absl::StrCat("evaluate ", series_[i].name, " --horizon=", options_.horizon), status));
    }
  }
}

void Evaluator::Finish(size_t i, absl::StatusOr<SeriesScores> scores) {
  absl::MutexLock lock(&mutex_);
  if (!scores.ok()) {
    status_.Update(scores.status());
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
  if (first < 1 || first + horizon > count) {
    return absl::InvalidArgumentError(
        absl::StrCat(rows, " rows leave no room for an origin at row ", first, " and ", horizon, " rows from there"));
  }
  std::vector<size_t> origins;
  for (int64_t row = first; row + horizon <= count; row += static_cast<int64_t>(options.stride)) {
    if (options.windows && static_cast<int64_t>(origins.size()) >= *options.windows) break;
    origins.push_back(static_cast<size_t>(row));
  }
  return origins;
}

absl::StatusOr<std::vector<SeriesScores>> Evaluate(const std::vector<EvaluatedSeries>& series,
                                                   const EvaluationOptions& options, const Interrupt& interrupt,
                                                   const std::function<void(size_t)>& progress) {
  return Evaluator(series, options, interrupt, progress).Run();
}

}  // namespace aaren::cli
