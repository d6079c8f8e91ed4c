// Opens a session on a stream and goes on from the server's position: at first, after a break, and after another server
// or an earlier save took over.

#include <algorithm>
#include <numeric>
#include <utility>

#include "aaren/client/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cpp/messages/claims.h"
#include "client/cpp/messages/values.h"
#include "client/cpp/session/session_state.h"

namespace aaren::client {
namespace {

// A session begins with 16 tokens in flight, and doubles the number with every round trip. A stream that broke under
// load then brings replies soon, however slow the server and however short-lived the connection: the session gets
// ahead.
constexpr uint64_t kFirstTokens = 16;

constexpr absl::Duration kRetryDelay = absl::Seconds(1);  // where the server does not say

absl::Duration DelayOf(const absl::Status& status) {
  // Above zero, since a Next with a retry of zero means no retry.
  return std::max(absl::Milliseconds(1), RetryDelay(status).value_or(kRetryDelay));
}

std::vector<uint32_t> AllHorizons(uint32_t horizon) {
  std::vector<uint32_t> horizons(horizon);
  std::iota(horizons.begin(), horizons.end(), 1);
  return horizons;
}

}  // namespace

// delivered_seq says which replies the application has; without it, the application takes the server's position. A
// session newly made by the server cannot have answered tokens of the application: it has lost its memory.
Loss SessionState::AdoptFirst(const Opened& opened) {
  answered_ = app_delivered_ = options_.delivered_seq.value_or(opened.next_seq);
  ResetLog(opened.next_seq);
  return {.session = opened.created && answered_ > opened.next_seq};
}

// After a break the session must be the same: else tokens of this log would follow a stranger's tokens. An empty
// session may be filled anew from the source, as after a server that lost its store.
absl::StatusOr<Loss> SessionState::AdoptAgain(const Opened& opened) {
  const bool other = opened.created || opened.incarnation != opened_.incarnation;
  if (other && opened.next_seq > 0) {
    return Named(absl::StatusCode::kAborted, absl::StrCat("incarnation ", opened_.incarnation, " was replaced by ",
                                                          opened.incarnation, ", which is at seq ", opened.next_seq));
  }
  if (opened.next_seq > log_.end()) {
    return Named(absl::StatusCode::kAborted,
                 absl::StrCat("another writer sent tokens ", log_.end(), " .. ", opened.next_seq - 1));
  }
  return Loss{.session = other};
}

// Tokens and forecasts keep their shape for the session's life, the shape asked for.
absl::Status SessionState::CheckOpened(const Opened& opened) const {
  Claims claims(server_, "Opened");
  const uint32_t channels = opened_once_ ? opened_.channels : options_.channels;
  if (channels != 0) claims.Within("channels", opened.channels, channels, channels);
  for (const uint32_t steps : options_.output.horizons) {
    claims.Within("model.horizon", std::max(opened.model.horizon, opened.model.far_horizon), steps, kMaxHorizon);
  }
  return claims.status();
}

void SessionState::FixShape(const Opened& opened) {
  channels_ = opened.channels;
  horizons_ = options_.output.horizons.empty() ? AllHorizons(opened.model.horizon) : options_.output.horizons;
  // A model of events forecasts one event.
  if (opened.model.kind == kEventsKind) horizons_ = {1};
  quantiles_ = options_.output.quantiles.empty() ? opened.model.quantiles : options_.output.quantiles;
  const bool classifies = opened.model.kind == kClassificationKind;
  values_ = classifies ? std::max<size_t>(1, opened.model.Classes().size())
                       : channels_ * horizons_.size() * quantiles_.size();
}

void SessionState::ResetLog(uint64_t seq) {
  const Covariates& covariates = options_.covariates;
  log_.Reset(seq, static_cast<uint32_t>(channels_),
             {.now = covariates.past + covariates.future, .future = covariates.future * horizons_.size()});
}

absl::StatusOr<Loss> SessionState::Adopt(const Opened& opened) {
  const absl::Status possible = CheckOpened(opened);
  if (!possible.ok()) return Named(possible);
  // A server that knows no longer rows knows no covariates, and would leave them out without a word.
  if (options_.covariates.past + options_.covariates.future > 0 && opened.model.far_horizon == 0) {
    return Named(absl::StatusCode::kUnimplemented,
                 absl::StrCat("model ", opened.model.FullName(), " of server ", server_, " takes no covariates"));
  }
  // Neither does an older server say that it knows no profile.
  if (options_.profile && !absl::EndsWith(opened.tier, "-profile")) {
    return Named(absl::StatusCode::kUnimplemented,
                 absl::StrCat("model ", opened.model.FullName(), " of server ", server_, " learns no profile"));
  }
  FixShape(opened);
  absl::StatusOr<Loss> loss = opened_once_ ? AdoptAgain(opened) : AdoptFirst(opened);
  if (!loss.ok()) return loss;
  // The server is past replies that the application never got, and cannot give them again.
  if (opened.next_seq > answered_) {
    loss->begin_seq = answered_;
    loss->end_seq = opened.next_seq;
    answered_ = opened.next_seq;
  }
  opened_ = opened;
  durable_ = opened.durable_seq;
  opened_once_ = true;
  return loss;
}

// The stream broke between Close and Closed. A session made by another client since then is left alone.
SessionState::Next SessionState::DeleteAgain(const Opened& opened) {
  {
    absl::MutexLock lock(&mutex_);
    if (opened.incarnation == opened_.incarnation) {
      // The tokens go with the session: all count as answered, and the Close can follow.
      sent_ = acked_ = log_.end();
      phase_ = Phase::kOpen;
      return {.ready = Enqueue()};
    }
  }
  return End(absl::OkStatus());
}

SessionState::Next SessionState::OnOpened(const v1::Opened& message) {
  // A server without numbers says 0.
  if (message.number() != 0 && message.number() != open_number_) return {};
  const absl::StatusOr<Opened> value = ToValue(message, server_);
  bool deleting;
  absl::StatusOr<Loss> loss = Loss();
  {
    absl::MutexLock lock(&mutex_);
    if (phase_ != Phase::kOpening) return {};
    // Nothing leaves before the position is settled.
    phase_ = Phase::kRewinding;
    deleting = delete_sent_;
    if (value.ok() && !deleting) loss = Adopt(*value);
  }
  if (!value.ok()) return End(Named(value.status()));
  const Opened& opened = *value;
  // Callbacks come without the lock: a listener may call the session back.
  if (deleting) return DeleteAgain(opened);
  if (!loss.ok()) return End(loss.status());
  // The listener hears of the next break again.
  told_disconnected_ = false;
  if (loss->session || loss->end_seq > loss->begin_seq) Call([&] { listener_.OnLost(session_, *loss); });
  Call([&] { listener_.OnOpened(session_, opened); });
  {
    absl::MutexLock lock(&mutex_);
    ready_ = true;
  }
  return GoOnFrom(opened.next_seq);
}

// Tokens still in the log are sent again from `seq`; only the application can bring older tokens.
SessionState::Next SessionState::GoOnFrom(uint64_t seq) {
  uint64_t kept;
  {
    absl::MutexLock lock(&mutex_);
    kept = log_.begin();
    if (seq >= kept) {
      sent_ = acked_ = seq;
      ramp_ = kFirstTokens;
      phase_ = Phase::kOpen;
      return {.ready = Enqueue()};
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
  ResetLog(seq);
  sent_ = acked_ = seq;
  ramp_ = kFirstTokens;
  rewound_ = true;
  phase_ = Phase::kOpen;
  return {.ready = Enqueue()};
}

// A session once open waits for room as long as needed: its application has tokens in flight. A session never open
// waits for open_timeout, to report a full server at the start.
SessionState::Next SessionState::OnOpenFailed(const absl::Status& status) {
  bool opened_once;
  bool deleted;
  bool again;
  {
    absl::MutexLock lock(&mutex_);
    opened_once = opened_once_;
    deleted = delete_sent_;
    again = TriesAgain(status);
  }
  // The delete was done, and only its answer was lost.
  if (absl::IsNotFound(status) && deleted) return End(absl::OkStatus());
  if (again) {
    Call([&] { listener_.OnWaiting(session_, status, DelayOf(status)); });
    return RetryAfter(status);
  }
  if (absl::IsNotFound(status) && opened_once) {
    Call([&] { listener_.OnLost(session_, Loss{.session = true}); });
  }
  return End(status);
}

// True if a refused Open is sent again.
bool SessionState::TriesAgain(const absl::Status& status) {
  if (absl::IsUnavailable(status)) return true;
  if (!absl::IsResourceExhausted(status)) return false;
  if (opened_once_) return true;
  waited_ += DelayOf(status);
  // A refusal that names no time to ask again is final.
  return RetryDelay(status) && waited_ <= options_.open_timeout;
}

SessionState::Next SessionState::RetryAfter(const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  phase_ = Phase::kWaiting;
  queued_ = false;
  return {.retry = DelayOf(status)};
}

}  // namespace aaren::client
