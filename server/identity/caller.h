#ifndef AAREN_SERVER_IDENTITY_CALLER_H_
#define AAREN_SERVER_IDENTITY_CALLER_H_

// Who calls, as the server knows them: whose sessions they see, what they may do, and how much of it.

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace aaren::identity {

// Each may do what those before it may.
enum class Role : uint8_t {
  kRead,    // Models; Sessions.Get and List
  kStream,  // streams: open, feed, close and delete sessions
  kAdmin,   // Export, Import, Fork, Delete, Evict
};

absl::string_view NameOf(Role role);                     // "read", "stream", "admin"
absl::StatusOr<Role> ParseRole(absl::string_view name);  // InvalidArgument that says which there are

// Whether a tenant may be called so: 1 to 128 bytes that can be seen, and no '/': a session's key is tenant, '/', id.
bool IsTenant(absl::string_view name);

class Account;  // server/identity/accounts/account.h

struct Caller {
  std::string tenant = "default";  // no '/'
  Role role = Role::kAdmin;
  // As the list has it: "sha256:…" or "name:…"; "key:…" of a key that signs tokens; empty: everybody may call.
  std::string known_by;
  absl::Time ends = absl::InfiniteFuture();  // by the wall clock: from then on it is nobody
  Account* account = nullptr;  // the tenant's, which lasts as long as the server; null: nothing is limited
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_CALLER_H_
