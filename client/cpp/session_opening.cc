// How a session opens on a stream, and goes on from where the server says: at first, after a break, and after another
// server or an earlier save had it.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cpp/session_state.h"
#include "client/cpp/status.h"

namespace aaren::client {
namespace {

// A session begins with so few tokens in flight, and doubles them with every round trip. A stream that broke under load
// then brings replies soon, however slow the server and however short-lived the connection: the session gets ahead.
constexpr uint64_t kFirstTokens = 16;

constexpr absl::Duration kRetryDelay = absl::Seconds(1);  // where the server does not say

absl::Duration DelayOf(const absl::Status& status) {
  return std::max(absl::Milliseconds(1), RetryDelay(status).value_or(kRetryDelay));
}

size_t CountOr(int listed, size_t all) { return listed > 0 ? static_cast<size_t>(listed) : all; }

}  // namespace

// The application says with delivered_seq what it has; without it, it takes whatever the server goes on from. A session
// that the server made just now cannot have answered what the application already has: it has lost its memory.
absl::Status SessionState::AdoptFirst(const v1::Opened& opened, Loss& loss) {
  answered_ = app_delivered_ = options_.delivered_seq.value_or(opened.next_seq());
  loss.session = opened.created() && answered_ > opened.next_seq();
  log_.Reset(opened.next_seq(), static_cast<uint32_t>(channels_));
  return absl::OkStatus();
}

// After a break the session must be the one it was: tokens of this log would otherwise follow those of a stranger. One
// that is empty may be filled anew from the source, as after a server that lost its store.
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
  // Callbacks come without the lock: a listener may call the session back.
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

// Tokens that are still in the log are sent again from there; older ones only the application can bring.
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

// A session that was ever open waits for room as long as it takes: its application has tokens in flight. One that was
// never open waits for open_timeout, so that a full server is told to whoever starts.
SessionState::Next SessionState::OnOpenFailed(const absl::Status& status) {
  bool again;
  bool deleted;
  {
    absl::MutexLock lock(&mutex_);
    again = opened_once_;
    deleted = delete_sent_;
  }
  // The delete was done, and only its answer was lost.
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

SessionState::Next SessionState::RetryAfter(const absl::Status& status, bool close) {
  absl::MutexLock lock(&mutex_);
  phase_ = Phase::kWaiting;
  queued_ = false;
  return {.close = close, .retry = DelayOf(status)};
}

}  // namespace aaren::client
