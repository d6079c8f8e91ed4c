#include "client/cpp/session/session_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::client {

constinit thread_local const SessionState* SessionState::current_callback = nullptr;

SessionState::SessionState(SessionOptions options, Session& session, Listener& listener, std::string server)
    : options_(std::move(options)), server_(std::move(server)), session_(session), listener_(listener) {}

absl::Status SessionState::Named(absl::StatusCode code, absl::string_view what) const {
  return absl::Status(code, absl::StrCat("session \"", options_.id, "\": ", what));
}

absl::Status SessionState::EndedStatus() const {
  return end_status_.ok() ? Named(absl::StatusCode::kCancelled, "it is closed") : end_status_;
}

absl::Status SessionState::OutOfStep(uint64_t first_seq) const {
  return Named(absl::StatusCode::kOutOfRange,
               absl::StrCat("tokens begin at seq ", first_seq, "; the session wants seq ", log_.end()));
}

bool SessionState::Full() const {
  const uint64_t end = log_.end();
  // The window bounds unanswered tokens, the server's limit bounds tokens whose replies are not delivered.
  return end - acked_ >= options_.window || end - std::min(end, SafeSeq()) >= in_flight_limit_;
}

bool SessionState::Flushed() const { return !rewound_ && acked_ >= log_.end() && answered_ >= log_.end(); }

uint64_t SessionState::SafeSeq() const {
  if (options_.delivery == Delivery::kAutomatic) return answered_;
  // With manual delivery the application's word counts up to the last reply. Tokens behind the last reply have no reply
  // to deliver, and count once answered.
  const uint64_t said = std::min(app_delivered_, std::max(answered_, last_reply_end_));
  return said >= last_reply_end_ ? std::max(said, answered_) : said;
}

// How many more tokens the server may be sent.
uint64_t SessionState::Room() const {
  const uint64_t in_flight = sent_ - std::min(sent_, SafeSeq());
  const uint64_t unanswered = sent_ - acked_;
  return std::min(in_flight_limit_ - std::min(in_flight_limit_, in_flight), ramp_ - std::min(ramp_, unanswered));
}

// True if the server holds its next answers back until it knows the delivered_seq of this reply.
bool SessionState::MustTell() const {
  return opened_.durability == Durability::kEveryToken && acked_ < sent_ && SafeSeq() > told_;
}

bool SessionState::Sendable() const {
  switch (phase_) {
    case Phase::kUnopened:
      return true;
    case Phase::kOpen:
      if (MustTell()) return true;
      if (sent_ < log_.end()) return Room() > 0;
      return close_wanted_ && Flushed();
    default:
      return false;
  }
}

SessionState::Ready SessionState::Enqueue() {
  // A session stands in the connection's queue at most once.
  if (queued_ || !Sendable()) return Ready::kNo;
  queued_ = true;
  return Ready::kYes;
}

absl::StatusOr<Opened> SessionState::WaitOpened(absl::Duration timeout) {
  // Callbacks run on the stream's thread, so a wait in a callback would wait for itself.
  const bool in_callback = current_callback != nullptr;
  absl::MutexLock lock(&mutex_);
  const auto done = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return ready_ || phase_ == Phase::kEnded; };
  if (!done() && in_callback) return Named(absl::StatusCode::kFailedPrecondition, "WaitOpened in a callback");
  if (!mutex_.AwaitWithTimeout(absl::Condition(&done), timeout)) {
    return Named(absl::StatusCode::kDeadlineExceeded, absl::StrCat("not open after ", absl::FormatDuration(timeout)));
  }
  if (phase_ == Phase::kEnded) return EndedStatus();
  return opened_;
}

absl::StatusOr<SessionState::Sent> SessionState::Send(uint64_t first_seq, const TokenBatch& batch, Patience patience) {
  const bool in_callback = current_callback != nullptr;
  absl::MutexLock lock(&mutex_);
  const auto decided = [&]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    // No wait mends a wrong seq, and a rewind may change the wanted seq during the wait.
    return phase_ == Phase::kEnded || (opened_once_ && (first_seq != log_.end() || !Full()));
  };
  if (!decided()) {
    if (patience == Patience::kNone) return Sent{.admission = Admission::kFull};
    if (in_callback) return Named(absl::StatusCode::kFailedPrecondition, "Send in a callback would wait; use TrySend");
    mutex_.Await(absl::Condition(&decided));
  }
  if (phase_ == Phase::kEnded) return EndedStatus();
  if (first_seq != log_.end()) return OutOfStep(first_seq);
  if (close_wanted_) return Named(absl::StatusCode::kFailedPrecondition, "Send after Close");
  const absl::StatusOr<size_t> tokens = log_.Check(batch);
  if (!tokens.ok()) return Named(tokens.status().code(), tokens.status().message());
  log_.Append(batch, *tokens);
  rewound_ = false;
  return Sent{.admission = Admission::kTaken, .ready = Enqueue()};
}

SessionState::Ready SessionState::Delivered(uint64_t seq) {
  absl::MutexLock lock(&mutex_);
  // Never back: the server may have forgotten earlier saves.
  app_delivered_ = std::max(app_delivered_, seq);
  return Enqueue();
}

absl::Status SessionState::Flush() {
  const bool in_callback = current_callback != nullptr;
  absl::MutexLock lock(&mutex_);
  const auto done = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return phase_ == Phase::kEnded || rewound_ || (opened_once_ && Flushed());
  };
  if (!done() && in_callback) return Named(absl::StatusCode::kFailedPrecondition, "Flush in a callback");
  mutex_.Await(absl::Condition(&done));
  if (phase_ == Phase::kEnded) return EndedStatus();
  if (rewound_) return Named(absl::StatusCode::kOutOfRange, absl::StrCat("tokens are wanted from seq ", log_.end()));
  return absl::OkStatus();
}

absl::StatusOr<SessionState::Ready> SessionState::Close(Ending ending) {
  if (current_callback != nullptr) return Named(absl::StatusCode::kFailedPrecondition, "Close in a callback");
  absl::MutexLock lock(&mutex_);
  // WaitClosed then returns the status of the end.
  if (phase_ == Phase::kEnded) return Ready::kNo;
  close_wanted_ = true;
  delete_wanted_ = ending == Ending::kDelete;
  return Enqueue();
}

absl::Status SessionState::WaitClosed() {
  absl::MutexLock lock(&mutex_);
  const auto done = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return phase_ == Phase::kEnded || rewound_; };
  mutex_.Await(absl::Condition(&done));
  if (phase_ == Phase::kEnded) return end_status_;
  // The application first has to send again from the wanted seq, and may close later.
  close_wanted_ = false;
  return Named(absl::StatusCode::kOutOfRange, absl::StrCat("tokens are wanted from seq ", log_.end()));
}

uint64_t SessionState::next_seq() const {
  absl::MutexLock lock(&mutex_);
  return log_.end();
}

uint64_t SessionState::answered_seq() const {
  absl::MutexLock lock(&mutex_);
  return answered_;
}

uint64_t SessionState::delivered_seq() const {
  absl::MutexLock lock(&mutex_);
  return SafeSeq();
}

absl::Status SessionState::status() const {
  absl::MutexLock lock(&mutex_);
  return phase_ == Phase::kEnded ? EndedStatus() : absl::OkStatus();
}

void SessionState::Detach() {
  absl::MutexLock lock(&mutex_);
  detached_ = true;
  const auto idle = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return !calling_; };
  // A callback that destroys its own session must not wait for itself.
  if (current_callback != this) mutex_.Await(absl::Condition(&idle));
}

void SessionState::Call(absl::FunctionRef<void()> callback) {
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

}  // namespace aaren::client
