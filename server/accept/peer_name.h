#ifndef AAREN_SERVER_ACCEPT_PEER_NAME_H_
#define AAREN_SERVER_ACCEPT_PEER_NAME_H_

// One name for the other end of a connection, "127.0.0.1:5021" or "[::1]:5021", from its socket and from what gRPC
// calls it. While a connection lasts no other has its name.

#include <string>

#include "absl/strings/string_view.h"

namespace aaren::accept {

// Empty if the socket is not connected any more.
std::string PeerName(int socket);

// `peer` as grpc::ServerContext::peer() has it: "ipv4:127.0.0.1:5021", "ipv6:%5B::1%5D:5021". A link-local address
// loses its zone.
std::string NormalPeer(absl::string_view peer);

// The name without the port; of an IPv6 address its network, the first 64 bits: whoever has one address has them all.
std::string HostOf(absl::string_view name);

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_PEER_NAME_H_
