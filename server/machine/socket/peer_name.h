#ifndef AAREN_SERVER_MACHINE_SOCKET_PEER_NAME_H_
#define AAREN_SERVER_MACHINE_SOCKET_PEER_NAME_H_

// The name of a peer, "127.0.0.1:5021" or "[::1]:5021", and of the peer's host.

#include <string>

#include "absl/strings/string_view.h"

namespace aaren::sockets {

// Empty if the socket is not connected any more. An IPv4 address behind an IPv6 socket gets its IPv4 name. A link-local
// address loses its zone.
std::string PeerName(int socket);

// The name without the port; for IPv6 the network, the first 64 bits: the owner of one address has the whole network.
std::string HostOf(absl::string_view name);

}  // namespace aaren::sockets

#endif  // AAREN_SERVER_MACHINE_SOCKET_PEER_NAME_H_
