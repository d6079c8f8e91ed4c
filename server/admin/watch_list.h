#ifndef AAREN_SERVER_ADMIN_WATCH_LIST_H_
#define AAREN_SERVER_ADMIN_WATCH_LIST_H_

// Which sessions the metrics tell of by themselves: what Admin.WatchSession adds, prolongs and ends.

#include <optional>

#include "aaren/v1/admin.pb.h"
#include "absl/time/time.h"
#include "server/session/peer.h"
#include "server/watch/watched_sessions.h"

namespace aaren::admin {

// Does what is asked and fills the response, or says what is wrong and changes nothing.
std::optional<session::Refusal> Watch(watch::WatchedSessions& watched, const v1::WatchSessionRequest& request,
                                      absl::Time now, v1::WatchSessionResponse& response);

}  // namespace aaren::admin

#endif  // AAREN_SERVER_ADMIN_WATCH_LIST_H_
