#ifndef AAREN_SERVER_OPERATE_ADMIN_WATCH_LIST_H_
#define AAREN_SERVER_OPERATE_ADMIN_WATCH_LIST_H_

// Adds, prolongs and ends the watches of Admin.WatchSession: sessions with metrics of their own.

#include <optional>

#include "aaren/v1/admin.pb.h"
#include "absl/time/time.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/watch/watched_sessions.h"

namespace aaren::admin {

// Does the request and fills the response, or returns the refusal and changes nothing.
std::optional<session::Refusal> Watch(watch::WatchedSessions& watched, const v1::WatchSessionRequest& request,
                                      absl::Time now, v1::WatchSessionResponse& response);

}  // namespace aaren::admin

#endif  // AAREN_SERVER_OPERATE_ADMIN_WATCH_LIST_H_
