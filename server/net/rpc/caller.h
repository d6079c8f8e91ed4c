#ifndef AAREN_SERVER_NET_RPC_CALLER_H_
#define AAREN_SERVER_NET_RPC_CALLER_H_

// Tells who makes a call. Every call asks here, and nowhere else.

#include <optional>

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

// Why an admitted caller may not call any more: struck out, expired, or with a role below `least`.
std::optional<session::Refusal> StillMayCall(const identity::Caller& caller, const identity::Callers* callers,
                                             identity::Role least, const session::Clock& clock);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_CALLER_H_
