#ifndef AAREN_SERVER_STORE_REDIS_REDIS_ERROR_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_ERROR_H_

// Turns Redis' errors into the server's statuses. An error begins with a word for its kind: "OOM command not allowed
// when used memory > 'maxmemory'." Threading: pure functions.

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::store {

// ResourceExhausted: Redis is full. DataLoss: the key holds another kind of value. Unauthenticated, PermissionDenied:
// the password is wrong or missing, or the user may not call the command. Else Unavailable. All have Redis' own text.
absl::Status FromRedisError(absl::string_view error);

// True if Redis has forgotten the script: nothing was done.
bool IsNoScript(absl::string_view error);

// True if nothing can be done on this connection: the Redis is a replica, loads its data, or has forgotten the
// connection's number (redis_scripts.h).
bool EndsConnection(absl::string_view error);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_ERROR_H_
