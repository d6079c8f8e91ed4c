#ifndef AAREN_SERVER_MACHINE_ADDRESS_ADDRESS_H_
#define AAREN_SERVER_MACHINE_ADDRESS_ADDRESS_H_

// A network address to listen on: "HOST:PORT", with an IPv6 host in brackets, a name, or an address; port 0 means any
// free port.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::address {

struct Address {
  std::string host;  // without brackets
  int port = 0;

  // InvalidArgument naming the text.
  static absl::StatusOr<Address> Parse(absl::string_view text);

  std::string ToString() const;
};

// True if only this machine reaches the address.
bool IsLoopback(const Address& address);

// True for an address usable by other machines: not the loopback's, and not "everywhere" ("0.0.0.0", "::").
bool IsForOthers(const Address& address);

// Listening sockets, nonblocking, one for each address of the host that the machine has; the caller closes the sockets.
// Port 0: any free port, the same for all. AlreadyExists if the port is in use, InvalidArgument if the host cannot be
// resolved, PermissionDenied or FailedPrecondition if the machine has no address of the host, or an address cannot be
// bound; each names the address.
absl::StatusOr<std::vector<int>> ListenOn(const Address& address, int backlog);

// Ok if nobody listens on the address: else as ListenOn.
absl::Status CheckFree(const Address& address);

// Connects to the listener, says nothing and leaves. False if no listener answers within a second. May wait for the
// name of a host.
bool Knock(const Address& address);

// The port of a bound socket.
int PortOf(int socket);

}  // namespace aaren::address

#endif  // AAREN_SERVER_MACHINE_ADDRESS_ADDRESS_H_
