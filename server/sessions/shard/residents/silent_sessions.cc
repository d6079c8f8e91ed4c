#include "server/sessions/shard/residents/silent_sessions.h"

#include <algorithm>

namespace aaren::shard {
namespace {

constexpr int64_t kNanosecondsAMillisecond = 1'000'000;

}  // namespace

bool IsSilent(const session::Session& session, int64_t now_ms) {
  const int64_t step_ns = session.regular_times ? session.regular_step_ns : session.point.clock.step_ns;
  if (session.stream == nullptr || step_ns <= 0) return false;
  // Events come at no step. A client asks for a word on each missing event (overdue.h).
  if (session.plan != nullptr && !session.plan->events.levels.empty()) return false;
  const int64_t patience_ms =
      std::max(SilentSessions::kLeastMs, step_ns / kNanosecondsAMillisecond * SilentSessions::kSteps);
  return now_ms - session.last_active_ms > patience_ms;
}

// If the next session has left meanwhile, the count begins anew: the place in the table is unknown.
size_t SilentSessions::Look(const Table& sessions, int64_t now_ms) {
  if (next_.empty() && now_ms < due_ms_) return counted_;
  auto at = next_.empty() ? sessions.end() : sessions.find(absl::string_view(next_));
  if (at == sessions.end()) {
    at = sessions.begin();
    counting_ = 0;
  }
  for (size_t i = 0; i < kStretch && at != sessions.end(); ++i, ++at) counting_ += IsSilent(**at, now_ms) ? 1 : 0;
  if (at != sessions.end()) {
    next_ = std::string((*at)->key.view());
  } else {
    next_.clear();
    counted_ = counting_;
    due_ms_ = now_ms + kPauseMs;
  }
  return counted_;
}

}  // namespace aaren::shard
