#ifndef AAREN_SERVER_NET_RPC_CALLER_H_
#define AAREN_SERVER_NET_RPC_CALLER_H_

// Tells who makes a call. Every call asks here, and nowhere else.

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "grpcpp/server_context.h"
#include "server/identity/caller.h"
#include "server/identity/callers.h"
#include "server/sessions/session/clock.h"
#include "server/sessions/session/peer.h"

namespace aaren::rpc {

// Finds the caller in `callers` by the call's token (authorization: Bearer …), or else by a name in the certificate of
// the connection. Null: everybody is an admin of the tenant "default". Refuses an unknown caller (UNAUTHENTICATED),
// which the log tells, and a role below `least` (PERMISSION_DENIED). With several tokens in one call none counts.
// REQUIRES: the call has begun. Any thread.
session::Outcome<identity::Caller> CallerOf(const grpc::ServerContext& context, const identity::Callers* callers,
                                            identity::Role least, const session::Clock& clock);

// gRPC's name of a peer, "ipv4:127.0.0.1:5021" or "ipv6:%5B::1%5D:5021", as the acceptor names the peer:
// "127.0.0.1:5021", "[::1]:5021". A link-local address loses its zone.
std::string NormalPeer(absl::string_view peer);

// Why an admitted caller may not call any more: struck out, expired, or with a role below `least`.
std::optional<session::Refusal> StillMayCall(const identity::Caller& caller, const identity::Callers* callers,
                                             identity::Role least, const session::Clock& clock);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_CALLER_H_
