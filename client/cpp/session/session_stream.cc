// The stream's side of SessionState: the next item to send, and the effect of each of the server's items.
// session_opening.cc has the Open.

#include <algorithm>
#include <cmath>
#include <utility>

#include "aaren/client/status.h"
#include "absl/strings/str_cat.h"
#include "client/cpp/messages/claims.h"
#include "client/cpp/messages/rpc_status.h"
#include "client/cpp/messages/values.h"
#include "client/cpp/session/session_state.h"

namespace aaren::client {
namespace {

// A server that refuses the same tokens eight times without taking any will never take them.
constexpr int kMaxRepairs = 8;

bool Retryable(const absl::Status& status) { return absl::IsUnavailable(status) || absl::IsResourceExhausted(status); }

}  // namespace

void SessionState::Attach(uint32_t handle, uint64_t writer, uint64_t open_number) {
  handle_ = handle;
  writer_ = writer;
  open_number_ = open_number;
  absl::MutexLock lock(&mutex_);
  if (phase_ == Phase::kEnded) return;
  // Counts as queued: Handles keeps unopened sessions in a queue of their own.
  phase_ = Phase::kUnopened;
  queued_ = true;
}

bool SessionState::Fill(const v1::Limits& limits, MessageBuilder& builder) {
  absl::MutexLock lock(&mutex_);
  if (builder.room() == 0) return true;
  if (!Sendable()) {
    // Waits to be enqueued again.
  } else if (phase_ == Phase::kUnopened) {
    in_flight_limit_ = limits.in_flight_tokens();
    tokens_per_item_ = limits.tokens_per_item();
    FillOpen(builder);
  } else if (sent_ < log_.end() && Room() > 0) {
    FillTokens(builder);
  } else if (MustTell()) {
    FillDelivered(builder);
  } else {
    FillClose(builder);
  }
  queued_ = Sendable();
  return queued_;
}

void SessionState::FillOpen(MessageBuilder& builder) {
  v1::Open& open = *builder.Add().mutable_open();
  open.set_handle(handle_);
  open.set_number(open_number_);
  open.set_writer(writer_);
  open.set_session_id(options_.id);
  open.set_model(options_.model);
  open.set_mode(ToMessage(options_.mode));
  // The application's mode holds once: after a break the session exists, or is still to be deleted.
  if (opened_once_ && options_.mode == OpenMode::kCreate) open.set_mode(v1::Open::CREATE_OR_RESUME);
  if (delete_sent_) open.set_mode(v1::Open::RESUME);
  if (opened_once_) {
    open.set_delivered_seq(SafeSeq());
    told_ = SafeSeq();
  } else if (options_.delivered_seq) {
    open.set_delivered_seq(*options_.delivered_seq);
  }
  if (options_.incarnation) open.set_incarnation(*options_.incarnation);
  open.set_channels(options_.channels);
  if (options_.covariates.past + options_.covariates.future > 0) {
    open.mutable_covariates()->set_past(options_.covariates.past);
    open.mutable_covariates()->set_future(options_.covariates.future);
  }
  if (options_.profile) open.set_profile(true);
  open.set_durability(ToMessage(options_.durability));
  *open.mutable_output() = ToMessage(options_.output);
  const EventScale& scale = options_.event_scale;
  if (scale.unit_ns != 0 || scale.resolution_ns != 0) *open.mutable_event_scale() = ToMessage(scale);
  if (options_.regular_times) *open.mutable_regular_times() = ToMessage(*options_.regular_times);
  builder.Grow(open.ByteSizeLong());
  phase_ = Phase::kOpening;
}

void SessionState::FillTokens(MessageBuilder& builder) {
  const size_t token_bytes = std::max<size_t>(1, log_.token_bytes());
  const size_t most = std::min<uint64_t>({tokens_per_item_, Room(), builder.room() / token_bytes});
  v1::Tokens& tokens = builder.AddTokens();
  tokens.set_handle(handle_);
  // Each item of tokens tells delivered_seq, so an item of its own is seldom needed.
  tokens.set_delivered_seq(told_ = SafeSeq());
  // At least one token leaves: a token may be larger than the room.
  const size_t taken = log_.CopyTo(sent_, std::max<size_t>(1, most), tokens);
  builder.Grow(taken * token_bytes);
  sent_ += taken;
}

// Sends a Tokens item without tokens, to tell delivered_seq.
void SessionState::FillDelivered(MessageBuilder& builder) {
  v1::Tokens& tokens = builder.AddTokens();
  tokens.set_handle(handle_);
  tokens.set_first_seq(acked_);
  tokens.set_delivered_seq(told_ = SafeSeq());
}

void SessionState::FillClose(MessageBuilder& builder) {
  v1::Close& close = *builder.Add().mutable_close();
  close.set_handle(handle_);
  close.set_delete_session(delete_wanted_);
  close.set_delivered_seq(SafeSeq());
  delete_sent_ = delete_wanted_;
  phase_ = Phase::kClosing;
}

// A missing reply would silently shift all later replies by a token: it ends the session.
absl::Status SessionState::CheckAnswered(absl::string_view item, uint64_t replies_from, uint64_t next_seq,
                                         uint64_t durable_seq) const {
  Claims claims(server_, item);
  claims.Within<uint64_t>("next_seq", next_seq, 0, sent_);
  claims.Within<uint64_t>("durable_seq", durable_seq, 0, sent_);
  if (!claims.status().ok()) return Named(claims.status());
  const uint64_t asking = log_.FirstAsking(answered_, replies_from, every());
  if (asking >= replies_from) return absl::OkStatus();
  return Named(absl::StatusCode::kInternal, absl::StrCat("server ", server_, " left out its reply to token ", asking));
}

absl::Status SessionState::CheckShape(const v1::Forecasts& forecasts) const {
  const uint64_t first = forecasts.first_seq();
  const uint64_t next = std::max(first, forecasts.next_seq());
  const uint64_t results = (Due(next) - Due(first)) / every();
  const auto fits = [&](int size, size_t width) {  // a product could wrap round
    return static_cast<uint64_t>(size) / width == results && static_cast<uint64_t>(size) % width == 0;
  };
  const EventOutput& events = options_.output.events;
  const auto fits_or_none = [&](int size, size_t width) { return size == 0 || (width > 0 && fits(size, width)); };
  if (forecasts.next_seq() >= first && fits(forecasts.values_size(), values_) &&
      fits_or_none(forecasts.surprise_size(), channels_) && fits_or_none(forecasts.offsets_size(), channels_) &&
      fits_or_none(forecasts.learning_size(), channels_) && fits_or_none(forecasts.times_ns_size(), 1) &&
      fits_or_none(forecasts.steps_ns_size(), 1) && fits_or_none(forecasts.within_size(), events.spans_s.size()) &&
      fits_or_none(forecasts.marks_size(), events.marks) &&
      forecasts.mark_probabilities_size() == forecasts.marks_size()) {
    return absl::OkStatus();
  }
  return Named(absl::StatusCode::kInternal,
               absl::StrCat("server ", server_, " says that a reply to tokens ", first, " .. ", forecasts.next_seq(),
                            " (excluded) has ", forecasts.values_size(), " values, ", forecasts.surprise_size(),
                            " surprises, ", forecasts.offsets_size(), " offsets, ", forecasts.learning_size(),
                            " marks of learning, ", forecasts.times_ns_size(), " times, ", forecasts.steps_ns_size(),
                            " steps, ", forecasts.within_size(), " spans, ", forecasts.marks_size(), " marks and ",
                            forecasts.mark_probabilities_size(), " probabilities of marks; ", results, " x ", values_,
                            " values expected"));
}

// Forecasts themselves may be anything: NaN and infinity are shown as no number.
absl::Status SessionState::CheckNumbers(const v1::Forecasts& forecasts) const {
  Claims claims(server_, "Forecasts");
  for (const float surprise : forecasts.surprise()) {
    if (!std::isnan(surprise)) claims.Within("surprise", surprise, 0.0f, 1.0f);
  }
  for (const float within : forecasts.within()) {
    if (!std::isnan(within)) claims.Within("within", within, 0.0f, 1.0f);
  }
  for (const float mark : forecasts.mark_probabilities()) {
    if (!std::isnan(mark)) claims.Within("mark_probabilities", mark, 0.0f, 1.0f);
  }
  claims.Within<int64_t>("step_ns", forecasts.step_ns(), 0, INT64_MAX);
  for (const int64_t step : forecasts.steps_ns()) claims.Within<int64_t>("steps_ns", step, 0, INT64_MAX);
  return claims.status().ok() ? absl::OkStatus() : Named(claims.status());
}

SessionState::Next SessionState::OnForecasts(const v1::Forecasts& forecasts) {
  uint64_t from;
  absl::Status status = CheckNumbers(forecasts);
  {
    absl::MutexLock lock(&mutex_);
    if (phase_ != Phase::kOpen) return {};
    status.Update(CheckAnswered("Forecasts", forecasts.first_seq(), forecasts.next_seq(), forecasts.durable_seq()));
    status.Update(CheckShape(forecasts));
    from = answered_;
    const uint64_t due = Due(forecasts.next_seq());
    // Behind the last reply of the item, if any reply is new to the application.
    if (due >= every() + std::max(from, forecasts.first_seq())) last_reply_end_ = due - every() + 1;
  }
  if (!status.ok()) return End(status);
  HandOver(forecasts, from);
  return Advance(forecasts.next_seq(), forecasts.durable_seq());
}

// Replies below `from` came before a break. Steps are bit-identical: the replies are equal, and not handed over again.
void SessionState::HandOver(const v1::Forecasts& forecasts, uint64_t from) {
  const absl::Span<const float> values = forecasts.values();
  const absl::Span<const float> surprise = forecasts.surprise();
  const absl::Span<const double> offsets = forecasts.offsets();
  const absl::Span<const bool> learning = forecasts.learning();
  const absl::Span<const float> within = forecasts.within(), probabilities = forecasts.mark_probabilities();
  const absl::Span<const uint32_t> marks = forecasts.marks();
  const EventOutput& events = options_.output.events;
  Forecast forecast{.horizons = horizons_, .quantiles = quantiles_, .step_ns = forecasts.step_ns()};
  if (!within.empty()) forecast.event.spans_s = events.spans_s;
  Call([&] {
    size_t i = 0;
    for (uint64_t seq = Due(forecasts.first_seq()); seq < forecasts.next_seq(); seq += every(), ++i) {
      if (seq < from) continue;
      if (detached_) return;
      forecast.seq = seq;
      forecast.values = values.subspan(i * values_, values_);
      if (!surprise.empty()) forecast.surprise = surprise.subspan(i * channels_, channels_);
      if (!offsets.empty()) forecast.offsets = offsets.subspan(i * channels_, channels_);
      if (!learning.empty()) forecast.learning = learning.subspan(i * channels_, channels_);
      if (!within.empty()) forecast.event.within = within.subspan(i * events.spans_s.size(), events.spans_s.size());
      if (!marks.empty()) forecast.event.marks = marks.subspan(i * events.marks, events.marks);
      if (!marks.empty()) forecast.event.mark_probabilities = probabilities.subspan(i * events.marks, events.marks);
      if (forecasts.times_ns_size() > 0) forecast.time_ns = forecasts.times_ns(static_cast<int>(i));
      if (forecasts.steps_ns_size() > 0) forecast.step_ns = forecasts.steps_ns(static_cast<int>(i));
      listener_.OnForecast(session_, forecast);
    }
  });
}

// A stream that broke may bring the same word again, and the event itself may be under way.
SessionState::Next SessionState::OnOverdue(const v1::Overdue& message) {
  const absl::StatusOr<Overdue> overdue = ToValue(message, server_);
  if (!overdue.ok()) return End(Named(overdue.status()));
  {
    absl::MutexLock lock(&mutex_);
    if (phase_ != Phase::kOpen || overdue->next_seq != answered_) return {};
  }
  if (overdue_below_ > overdue->next_seq) return {};
  overdue_below_ = overdue->next_seq + 1;
  Call([&] { listener_.OnOverdue(session_, *overdue); });
  return {};
}

SessionState::Next SessionState::OnAcked(const v1::Acked& acked) {
  absl::Status status;
  {
    absl::MutexLock lock(&mutex_);
    if (phase_ != Phase::kOpen) return {};
    status = CheckAnswered("Acked", acked.next_seq(), acked.next_seq(), acked.durable_seq());
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
      // An answered token makes room for two: the tokens in flight double with every round trip.
      ramp_ += next_seq - acked_;
    }
    acked = acked_ = std::max(acked_, next_seq);
    answered_ = std::max(answered_, next_seq);
    app_delivered_ = std::max(app_delivered_, SafeSeq());
    Trim(durable_seq);
    next.ready = Enqueue();
  }
  Call([&] { listener_.OnProgress(session_, acked, durable_seq); });
  return next;
}

// The server never wants tokens again that are saved and answered to the application; `retain` keeps more, for an
// application that cannot read its source again.
void SessionState::Trim(uint64_t durable_seq) {
  const uint64_t settled = std::min(acked_, SafeSeq());
  const uint64_t old = settled - std::min(settled, options_.retain);
  // Between two values of durable_seq the server may have to go back to the earlier value.
  const uint64_t durable = settled >= durable_seq ? durable_seq : settled >= durable_ ? durable_ : 0;
  durable_ = durable_seq;
  log_.DropBelow(std::max(old, durable));
}

// A Closed without a Close is an error: tokens of the session would be lost in silence.
SessionState::Next SessionState::OnClosed(const v1::Closed& closed) {
  bool asked;
  {
    absl::MutexLock lock(&mutex_);
    asked = phase_ == Phase::kClosing;
  }
  if (asked) return End(absl::OkStatus());
  return End(Named(absl::StatusCode::kInternal,
                   absl::StrCat("server ", server_, " says Closed at seq ", closed.next_seq(), ", unasked")));
}

SessionState::Next SessionState::OnFailed(const v1::Failed& failed) {
  // The refusal of an earlier Open, on a stream that broke.
  if (failed.has_open_number() && failed.open_number() != open_number_) return {};
  const absl::Status status = FromProto(failed.status(), server_);
  // Named copies code and message; the details have to be copied, too.
  const absl::Status named = [&] {
    absl::Status copy = Named(status);
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

// After a break the server may report a gap: it has fewer tokens than were sent, and the log has the rest. Any other
// refusal would come again, except for lack of room.
SessionState::Next SessionState::OnTokensFailed(const absl::Status& status, uint64_t expected_seq) {
  bool in_log;
  {
    absl::MutexLock lock(&mutex_);
    in_log = expected_seq <= log_.end();
  }
  const bool repairable = (absl::IsOutOfRange(status) && in_log) || Retryable(status);
  // Refusals of these kinds end with the server's trouble, and do not count as repairs.
  const bool room_comes = absl::IsUnavailable(status) || ErrorReason(status) == "SET_ASIDE";
  if (!repairable || (!room_comes && ++repairs_ > kMaxRepairs)) return End(status);
  // The log has the tokens from expected_seq on.
  if (!Retryable(status)) return GoOnFrom(expected_seq);
  Next next = RetryAfter(status);
  // The server has the handle open, and the next Open gets another handle.
  next.close = true;
  return next;
}

void SessionState::OnDisconnected(const absl::Status& why) {
  {
    absl::MutexLock lock(&mutex_);
    if (phase_ == Phase::kEnded) return;
    phase_ = Phase::kWaiting;
    queued_ = false;
  }
  // The listener hears of a break once, however many attempts fail.
  if (std::exchange(told_disconnected_, true)) return;
  Call([&] { listener_.OnDisconnected(session_, why); });
}

SessionState::Next SessionState::End(const absl::Status& status) {
  Next next{.ended = true};
  {
    absl::MutexLock lock(&mutex_);
    // An aborted session belongs to another writer: a Close would close the other's session.
    next.close = (phase_ == Phase::kOpen || phase_ == Phase::kRewinding) && !absl::IsAborted(status);
    phase_ = Phase::kEnded;
    end_status_ = status;
  }
  Call([&] { listener_.OnEnded(session_, status); });
  return next;
}

}  // namespace aaren::client
