#ifndef AAREN_SERVER_NET_ACCEPT_PEER_NAME_H_
#define AAREN_SERVER_NET_ACCEPT_PEER_NAME_H_

// The name of a peer, "127.0.0.1:5021" or "[::1]:5021", from the connection's socket or from gRPC's name of the peer.

#include <string>

#include "absl/strings/string_view.h"

namespace aaren::accept {

// Empty if the socket is not connected any more. An IPv4 address behind an IPv6 socket gets its IPv4 name.
std::string PeerName(int socket);

// `peer` comes from grpc::ServerContext::peer(): "ipv4:127.0.0.1:5021", "ipv6:%5B::1%5D:5021". A link-local address
// loses its zone.
std::string NormalPeer(absl::string_view peer);

// The name without the port; for IPv6 the network, the first 64 bits: the owner of one address has the whole network.
std::string HostOf(absl::string_view name);

}  // namespace aaren::accept

#endif  // AAREN_SERVER_NET_ACCEPT_PEER_NAME_H_
