#ifndef AAREN_SERVER_IDENTITY_CALLER_H_
#define AAREN_SERVER_IDENTITY_CALLER_H_

// The caller of a call, as the server knows the caller: tenant, role, and limits. A caller sees the tenant's sessions
// only.

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace aaren::identity {

// Each role may do everything that earlier roles may.
enum class Role : uint8_t {
  kRead,    // Models; Sessions.Get and List
  kStream,  // streams: open, feed, close and delete sessions
  kAdmin,   // Export, Import, Fork, Delete, Evict
};

absl::string_view NameOf(Role role);                     // "read", "stream", "admin"
absl::StatusOr<Role> ParseRole(absl::string_view name);  // InvalidArgument naming the roles

// True for a tenant's name: 1 to 128 visible bytes without '/', since a session's key is tenant, '/', id.
bool IsTenant(absl::string_view name);

class Account;  // server/identity/accounts/account.h

struct Caller {
  std::string tenant = "default";  // no '/'
  Role role = Role::kAdmin;
  // From the list: "sha256:…" or "name:…"; from a signing key: "key:…"; empty: everybody may call.
  std::string known_by;
  absl::Time ends = absl::InfiniteFuture();  // by the wall clock: from then on nobody
  Account* account = nullptr;                // the tenant's, living as long as the server; null: no limits
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_CALLER_H_
