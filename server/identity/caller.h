#ifndef AAREN_SERVER_IDENTITY_CALLER_H_
#define AAREN_SERVER_IDENTITY_CALLER_H_

// Who calls, as the server knows them: whose sessions they see, what they may do, and how much of it.

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace aaren::identity {

// Each may do what those before it may.
enum class Role : uint8_t {
  kRead,    // Models; Sessions.Get and List
  kStream,  // streams: open, feed, close and delete sessions
  kAdmin,   // Export, Import, Fork, Delete, Evict
};

absl::string_view NameOf(Role role);  // "read", "stream", "admin"

class Account;  // server/identity/account.h

struct Caller {
  std::string tenant = "default";  // no '/'
  Role role = Role::kAdmin;
  std::string known_by;        // as the list has it: "sha256:…" or "name:…"; empty: there is no list
  Account* account = nullptr;  // the tenant's, which lasts as long as the server; null: nothing is limited
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_CALLER_H_
