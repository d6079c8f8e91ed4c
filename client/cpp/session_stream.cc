// The stream's side of SessionState: what it sends next, and what each of the server's items does to it.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cpp/session_state.h"
#include "client/cpp/status.h"

namespace aaren::client {
namespace {

// A server that refuses the same tokens so often without taking any will not take them.
constexpr int kMaxRepairs = 8;

// A session begins with so few tokens in flight, and doubles them with every round trip. A stream that broke under load
// then brings replies soon, however slow the server and however short-lived the connection: the session gets ahead.
constexpr uint64_t kFirstTokens = 16;

constexpr absl::Duration kRetryDelay = absl::Seconds(1);  // where the server does not say

absl::Duration DelayOf(const absl::Status& status) {
  return std::max(absl::Milliseconds(1), RetryDelay(status).value_or(kRetryDelay));
}

bool Retryable(const absl::Status& status) { return absl::IsUnavailable(status) || absl::IsResourceExhausted(status); }

size_t CountOr(int listed, size_t all) { return listed > 0 ? static_cast<size_t>(listed) : all; }

}  // namespace

template <typename Callback>
void SessionState::Call(Callback callback) {
  {
    absl::MutexLock lock(&mutex_);
    if (detached_) return;
    calling_ = true;
  }
  current_callback = this;
  callback();
  current_callback = nullptr;
  absl::MutexLock lock(&mutex_);
  calling_ = false;
}

void SessionState::Attach(uint32_t handle, uint64_t writer, uint64_t open_number) {
  handle_ = handle;
  writer_ = writer;
  open_number_ = open_number;
  absl::MutexLock lock(&mutex_);
  if (phase_ == Phase::kEnded) return;
  phase_ = Phase::kUnopened;
  queued_ = true;
}

bool SessionState::Fill(const v1::Limits& limits, Outbox& outbox) {
  absl::MutexLock lock(&mutex_);
  if (outbox.room() == 0) return true;
  if (!Sendable()) {
    // Waits to be enqueued again.
  } else if (phase_ == Phase::kUnopened) {
    in_flight_limit_ = limits.in_flight_tokens();
    tokens_per_item_ = limits.tokens_per_item();
    FillOpen(outbox);
  } else if (sent_ < log_.end()) {
    FillTokens(outbox);
  } else {
    FillClose(outbox);
  }
  queued_ = Sendable();
  return queued_;
}

void SessionState::FillOpen(Outbox& outbox) {
  v1::Open& open = *outbox.Add().mutable_open();
  open.set_handle(handle_);
  open.set_number(open_number_);
  open.set_writer(writer_);
  open.set_session_id(options_.id);
  open.set_model(options_.model);
  open.set_mode(options_.mode);
  if (opened_once_ && options_.mode == v1::Open::CREATE) open.set_mode(v1::Open::CREATE_OR_RESUME);
  if (delete_sent_) open.set_mode(v1::Open::RESUME);
  if (opened_once_) {
    open.set_delivered_seq(SafeSeq());
  } else if (options_.delivered_seq) {
    open.set_delivered_seq(*options_.delivered_seq);
  }
  if (options_.incarnation) open.set_incarnation(*options_.incarnation);
  open.set_channels(options_.channels);
  *open.mutable_output() = options_.output;
  if (options_.regular_times) *open.mutable_regular_times() = *options_.regular_times;
  outbox.Grow(open.ByteSizeLong());
  phase_ = Phase::kOpening;
}

void SessionState::FillTokens(Outbox& outbox) {
  const size_t token_bytes = std::max<size_t>(1, log_.token_bytes());
  const size_t most = std::min<uint64_t>({tokens_per_item_, Room(), outbox.room() / token_bytes});
  v1::Tokens& tokens = outbox.AddTokens();
  tokens.set_handle(handle_);
  tokens.set_delivered_seq(SafeSeq());
  const size_t taken = log_.CopyTo(sent_, std::max<size_t>(1, most), tokens);
  outbox.Grow(taken * token_bytes);
  sent_ += taken;
}

void SessionState::FillClose(Outbox& outbox) {
  v1::Close& close = *outbox.Add().mutable_close();
  close.set_handle(handle_);
  close.set_delete_session(delete_wanted_);
  close.set_delivered_seq(SafeSeq());
  delete_sent_ = delete_wanted_;
  phase_ = Phase::kClosing;
}

absl::Status SessionState::AdoptFirst(const v1::Opened& opened, Loss& loss) {
  answered_ = app_delivered_ = options_.delivered_seq.value_or(opened.next_seq());
  loss.session = opened.created() && answered_ > opened.next_seq();
  log_.Reset(opened.next_seq(), static_cast<uint32_t>(channels_));
  return absl::OkStatus();
}

absl::Status SessionState::AdoptAgain(const v1::Opened& opened, Loss& loss) {
  const bool other = opened.created() || opened.incarnation() != opened_.incarnation();
  if (other && opened.next_seq() > 0) {
    return Named(absl::StatusCode::kAborted,
                 absl::StrCat("incarnation ", opened_.incarnation(), " was replaced by ", opened.incarnation(),
                              ", which is at seq ", opened.next_seq()));
  }
  if (opened.next_seq() > log_.end()) {
    return Named(absl::StatusCode::kAborted,
                 absl::StrCat("another writer sent tokens ", log_.end(), " .. ", opened.next_seq() - 1));
  }
  loss.session = other;
  return absl::OkStatus();
}

absl::Status SessionState::Adopt(const v1::Opened& opened, Loss& loss) {
  channels_ = std::max(1u, opened.channels());
  channel_results_ = CountOr(options_.output.horizons_size(), opened.model().horizon()) *
                     CountOr(options_.output.quantiles_size(), static_cast<size_t>(opened.model().quantiles_size()));
  const absl::Status status = opened_once_ ? AdoptAgain(opened, loss) : AdoptFirst(opened, loss);
  if (!status.ok()) return status;
  if (opened.next_seq() > answered_) {
    loss.begin_seq = answered_;
    loss.end_seq = opened.next_seq();
    answered_ = opened.next_seq();
  }
  opened_ = opened;
  opened_once_ = true;
  return absl::OkStatus();
}

// The stream broke between Close and Closed. A session that another client has made since is left alone.
SessionState::Next SessionState::DeleteAgain(const v1::Opened& opened) {
  {
    absl::MutexLock lock(&mutex_);
    if (opened.incarnation() == opened_.incarnation()) {
      sent_ = acked_ = log_.end();
      phase_ = Phase::kOpen;
      return {.enqueue = Enqueue()};
    }
  }
  return End(absl::OkStatus());
}

SessionState::Next SessionState::OnOpened(const v1::Opened& opened) {
  // A server that knows no numbers says 0.
  if (opened.number() != 0 && opened.number() != open_number_) return {};
  bool deleting;
  Loss loss;
  absl::Status status;
  {
    absl::MutexLock lock(&mutex_);
    if (phase_ != Phase::kOpening) return {};
    phase_ = Phase::kRewinding;
    deleting = delete_sent_;
    if (!deleting) status = Adopt(opened, loss);
  }
  if (deleting) return DeleteAgain(opened);
  if (!status.ok()) return End(status);
  told_disconnected_ = false;
  if (loss.session || loss.end_seq > loss.begin_seq) Call([&] { listener_.OnLost(session_, loss); });
  Call([&] { listener_.OnOpened(session_, opened); });
  {
    absl::MutexLock lock(&mutex_);
    ready_ = true;
  }
  return GoOnFrom(opened.next_seq());
}

SessionState::Next SessionState::GoOnFrom(uint64_t seq) {
  uint64_t kept;
  {
    absl::MutexLock lock(&mutex_);
    kept = log_.begin();
    if (seq >= kept) {
      sent_ = acked_ = seq;
      ramp_ = kFirstTokens;
      phase_ = Phase::kOpen;
      return {.enqueue = Enqueue()};
    }
    phase_ = Phase::kRewinding;
  }
  return Rewind(seq, kept);
}

SessionState::Next SessionState::Rewind(uint64_t seq, uint64_t kept) {
  bool again = false;
  Call([&] { again = listener_.OnRewind(session_, seq); });
  if (!again) {
    return End(Named(absl::StatusCode::kDataLoss,
                     absl::StrCat("the server needs tokens ", seq, " .. ", kept - 1, " again, and they are gone")));
  }
  absl::MutexLock lock(&mutex_);
  log_.Reset(seq, static_cast<uint32_t>(channels_));
  sent_ = acked_ = seq;
  ramp_ = kFirstTokens;
  rewound_ = true;
  phase_ = Phase::kOpen;
  return {.enqueue = Enqueue()};
}

absl::Status SessionState::CheckAnswered(uint64_t replies_from, uint64_t next_seq) const {
  if (next_seq > sent_) {
    return Named(absl::StatusCode::kInternal, absl::StrCat("the server answered tokens below ", next_seq,
                                                           "; only those below ", sent_, " were sent"));
  }
  const uint64_t asking = log_.FirstAsking(answered_, replies_from, every());
  if (asking >= replies_from) return absl::OkStatus();
  return Named(absl::StatusCode::kInternal, absl::StrCat("the server left out its reply to token ", asking));
}

absl::Status SessionState::CheckShape(const v1::Forecasts& forecasts) const {
  const uint64_t first = forecasts.first_seq();
  const uint64_t next = std::max(first, forecasts.next_seq());
  const uint64_t results = (Due(next) - Due(first)) / every();
  const auto fits = [&](int size, size_t width) { return static_cast<uint64_t>(size) == results * width; };
  if (forecasts.next_seq() >= first && fits(forecasts.values_size(), channels_ * channel_results_) &&
      (forecasts.surprise_size() == 0 || fits(forecasts.surprise_size(), channels_)) &&
      (forecasts.times_ns_size() == 0 || fits(forecasts.times_ns_size(), 1)) &&
      (forecasts.steps_ns_size() == 0 || fits(forecasts.steps_ns_size(), 1))) {
    return absl::OkStatus();
  }
  return Named(absl::StatusCode::kInternal,
               absl::StrCat("a reply to tokens ", first, " .. ", forecasts.next_seq(), " (excluded) has ",
                            forecasts.values_size(), " values, ", forecasts.surprise_size(), " surprises, ",
                            forecasts.times_ns_size(), " times and ", forecasts.steps_ns_size(), " steps; ", results,
                            " x ", channels_, " x ", channel_results_, " values expected"));
}

SessionState::Next SessionState::OnForecasts(const v1::Forecasts& forecasts) {
  uint64_t from;
  absl::Status status = CheckShape(forecasts);
  {
    absl::MutexLock lock(&mutex_);
    if (phase_ != Phase::kOpen) return {};
    status.Update(CheckAnswered(forecasts.first_seq(), forecasts.next_seq()));
    from = answered_;
    const uint64_t due = Due(forecasts.next_seq());
    if (due >= every() + std::max(from, forecasts.first_seq())) last_reply_end_ = due - every() + 1;
  }
  if (!status.ok()) return End(status);
  HandOver(forecasts, from);
  return Advance(forecasts.next_seq(), forecasts.durable_seq());
}

void SessionState::HandOver(const v1::Forecasts& forecasts, uint64_t from) {
  const size_t width = channels_ * channel_results_;
  const absl::Span<const float> values = forecasts.values();
  const absl::Span<const float> surprise = forecasts.surprise();
  Forecast forecast{.step_ns = forecasts.step_ns()};
  Call([&] {
    size_t i = 0;
    for (uint64_t seq = Due(forecasts.first_seq()); seq < forecasts.next_seq(); seq += every(), ++i) {
      if (seq < from) continue;
      if (detached_) return;
      forecast.seq = seq;
      forecast.values = values.subspan(i * width, width);
      if (!surprise.empty()) forecast.surprise = surprise.subspan(i * channels_, channels_);
      if (forecasts.times_ns_size() > 0) forecast.time_ns = forecasts.times_ns(static_cast<int>(i));
      if (forecasts.steps_ns_size() > 0) forecast.step_ns = forecasts.steps_ns(static_cast<int>(i));
      listener_.OnForecast(session_, forecast);
    }
  });
}

SessionState::Next SessionState::OnAcked(const v1::Acked& acked) {
  absl::Status status;
  {
    absl::MutexLock lock(&mutex_);
    if (phase_ != Phase::kOpen) return {};
    status = CheckAnswered(acked.next_seq(), acked.next_seq());
  }
  if (!status.ok()) return End(status);
  return Advance(acked.next_seq(), acked.durable_seq());
}

SessionState::Next SessionState::Advance(uint64_t next_seq, uint64_t durable_seq) {
  Next next;
  uint64_t acked;
  {
    absl::MutexLock lock(&mutex_);
    if (next_seq > acked_) {
      repairs_ = 0;
      ramp_ += next_seq - acked_;
    }
    acked = acked_ = std::max(acked_, next_seq);
    answered_ = std::max(answered_, next_seq);
    app_delivered_ = std::max(app_delivered_, SafeSeq());
    Trim(durable_seq);
    next.enqueue = Enqueue();
  }
  Call([&] { listener_.OnProgress(session_, acked, durable_seq); });
  return next;
}

void SessionState::Trim(uint64_t durable_seq) {
  const uint64_t settled = std::min(acked_, SafeSeq());
  const uint64_t old = settled - std::min(settled, options_.retain);
  log_.DropBelow(std::max(old, std::min(settled, durable_seq)));
}

SessionState::Next SessionState::OnClosed() { return End(absl::OkStatus()); }

SessionState::Next SessionState::OnFailed(const v1::Failed& failed) {
  if (failed.has_open_number() && failed.open_number() != open_number_) return {};
  const absl::Status status = FromProto(failed.status());
  const absl::Status named = [&] {
    absl::Status copy = Named(status.code(), status.message());
    status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) { copy.SetPayload(url, value); });
    return copy;
  }();
  bool opening;
  {
    absl::MutexLock lock(&mutex_);
    opening = phase_ == Phase::kOpening;
  }
  return opening ? OnOpenFailed(named) : OnTokensFailed(named, failed.expected_seq());
}

SessionState::Next SessionState::OnOpenFailed(const absl::Status& status) {
  bool again;
  bool deleted;
  {
    absl::MutexLock lock(&mutex_);
    again = opened_once_;
    deleted = delete_sent_;
  }
  if (absl::IsNotFound(status) && deleted) return End(absl::OkStatus());
  if (TriesAgain(status, again)) {
    Call([&] { listener_.OnWaiting(session_, status, DelayOf(status)); });
    return RetryAfter(status, false);
  }
  if (absl::IsNotFound(status) && again) {
    Call([&] { listener_.OnLost(session_, Loss{.session = true}); });
  }
  return End(status);
}

// Whether an Open that was refused is sent again.
bool SessionState::TriesAgain(const absl::Status& status, bool opened_once) {
  if (absl::IsUnavailable(status)) return true;
  if (!absl::IsResourceExhausted(status)) return false;
  if (opened_once) return true;
  waited_ += DelayOf(status);
  return RetryDelay(status) && waited_ <= options_.open_timeout;
}

SessionState::Next SessionState::OnTokensFailed(const absl::Status& status, uint64_t expected_seq) {
  bool in_log;
  {
    absl::MutexLock lock(&mutex_);
    in_log = expected_seq <= log_.end();
  }
  const bool repairable = (absl::IsOutOfRange(status) && in_log) || Retryable(status);
  if (!repairable || (!absl::IsUnavailable(status) && ++repairs_ > kMaxRepairs)) return End(status);
  return Retryable(status) ? RetryAfter(status, true) : GoOnFrom(expected_seq);
}

SessionState::Next SessionState::RetryAfter(const absl::Status& status, bool close) {
  absl::MutexLock lock(&mutex_);
  phase_ = Phase::kWaiting;
  queued_ = false;
  return {.close = close, .retry = DelayOf(status)};
}

void SessionState::OnDisconnected(const absl::Status& why) {
  {
    absl::MutexLock lock(&mutex_);
    if (phase_ == Phase::kEnded) return;
    phase_ = Phase::kWaiting;
    queued_ = false;
  }
  if (std::exchange(told_disconnected_, true)) return;
  Call([&] { listener_.OnDisconnected(session_, why); });
}

SessionState::Next SessionState::End(const absl::Status& status) {
  Next next{.ended = true};
  {
    absl::MutexLock lock(&mutex_);
    next.close = (phase_ == Phase::kOpen || phase_ == Phase::kRewinding) && !absl::IsAborted(status);
    phase_ = Phase::kEnded;
    end_status_ = status;
  }
  Call([&] { listener_.OnEnded(session_, status); });
  return next;
}

}  // namespace aaren::client
