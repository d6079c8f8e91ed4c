#ifndef AAREN_SERVER_IDENTITY_CALLER_H_
#define AAREN_SERVER_IDENTITY_CALLER_H_

// Who calls, as the server knows them: whose sessions they see, and what they may do.

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

struct Caller {
  std::string tenant = "default";  // no '/'
  Role role = Role::kAdmin;
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_CALLER_H_
