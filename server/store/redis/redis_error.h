#ifndef AAREN_SERVER_STORE_REDIS_REDIS_ERROR_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_ERROR_H_

// What Redis says in its errors, as the server's words. An error begins with a word that names its kind: "OOM command
// not allowed when used memory > 'maxmemory'." Threading: pure functions.

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::store {

// ResourceExhausted: there is no room. DataLoss: something else is under the key. Unauthenticated, PermissionDenied:
// the password is wrong or missing, or its user may not do this. Else Unavailable. All have Redis' own text.
absl::Status FromRedisError(absl::string_view error);

// The script is not there any more: nothing was done.
bool IsNoScript(absl::string_view error);

// Nothing that is asked on this connection can be done: a replica, one that loads its data, or one that has forgotten
// this connection (redis_scripts.h).
bool EndsConnection(absl::string_view error);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_ERROR_H_
