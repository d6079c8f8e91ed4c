#include "server/operate/admin/watch_list.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/identity/caller.h"
#include "server/operate/log/shown.h"
#include "server/sessions/registrar/open/open_check.h"
#include "server/sessions/session/refusal.h"
#include "server/sessions/session/session_state.h"

namespace aaren::admin {
namespace {

constexpr uint32_t kDefaultWatchSeconds = 3600, kMostWatchSeconds = 86'400;  // a forgotten watch ends

std::optional<session::Refusal> Check(const v1::WatchSessionRequest& request) {
  if (!identity::IsTenant(request.tenant())) {
    return session::InvalidField("tenant",
                                 absl::StrCat("'", log::Shown(request.tenant()), "' cannot be a tenant's name"));
  }
  if (auto refusal = registrar::CheckSessionId("session_id", request.session_id())) return refusal;
  if (request.seconds() <= kMostWatchSeconds) return std::nullopt;
  return session::InvalidField("seconds", absl::StrCat(request.seconds(), " is more than ", kMostWatchSeconds));
}

// The time until the first watch ends.
absl::Duration Wait(watch::WatchedSessions& watched, absl::Time now) {
  absl::Time first = absl::InfiniteFuture();
  for (const watch::WatchedSession& session : watched.List(now)) first = std::min(first, session.end);
  return first - now;
}

void Fill(const watch::WatchedSession& watched, absl::Time now, v1::WatchedSession& session) {
  // A tenant's name has no slash, and an id may have some.
  const size_t slash = watched.key.find('/');
  session.set_tenant(watched.key.substr(0, slash));
  session.set_session_id(watched.key.substr(slash + 1));
  session.set_tokens(watched.tokens);
  session.set_left_ms(static_cast<uint64_t>(absl::ToInt64Milliseconds(watched.end - now)));
}

}  // namespace

std::optional<session::Refusal> Watch(watch::WatchedSessions& watched, const v1::WatchSessionRequest& request,
                                      absl::Time now, v1::WatchSessionResponse& response) {
  if (auto refusal = Check(request)) return refusal;
  const std::string key = session::SessionKey(request.tenant(), request.session_id());
  if (request.stop()) {
    watched.Unwatch(key);
  } else {
    const uint32_t seconds = request.seconds() == 0 ? kDefaultWatchSeconds : request.seconds();
    if (absl::Status status = watched.Watch(key, now, now + absl::Seconds(seconds)); !status.ok()) {
      // The refusal tells the time until a watch ends and leaves room.
      return session::OverQuota("watched_sessions", status.message(), Wait(watched, now));
    }
  }
  for (const watch::WatchedSession& one : watched.List(now)) Fill(one, now, *response.add_sessions());
  return std::nullopt;
}

}  // namespace aaren::admin
