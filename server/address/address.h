#ifndef AAREN_SERVER_ADDRESS_ADDRESS_H_
#define AAREN_SERVER_ADDRESS_ADDRESS_H_

// A network address to listen on: "HOST:PORT", with an IPv6 host in brackets, a name, or an address; port 0 means any
// free one.

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren {

struct Address {
  std::string host;  // without brackets
  int port = 0;

  // InvalidArgument naming what was given.
  static absl::StatusOr<Address> Parse(absl::string_view text);

  std::string ToString() const;
};

// Whether nobody listens on the address. Servers that share a port by SO_REUSEPORT would silently share it with another
// process too, so this binds once without it. AlreadyExists if the port is in use, InvalidArgument if the host cannot
// be resolved, PermissionDenied or FailedPrecondition if it cannot be bound; each names the address.
absl::Status CheckFree(const Address& address);

}  // namespace aaren

#endif  // AAREN_SERVER_ADDRESS_ADDRESS_H_
