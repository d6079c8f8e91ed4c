#ifndef AAREN_SERVER_RPC_CALLER_H_
#define AAREN_SERVER_RPC_CALLER_H_

// Who is at the other end of a call. Every call asks here, and nowhere else.

#include <optional>

#include "grpcpp/server_context.h"
#include "server/identity/caller.h"
#include "server/identity/callers.h"
#include "server/session/clock.h"
#include "server/session/peer.h"

namespace aaren::rpc {

// Whom `callers` know by the call's token (authorization: Bearer …) or else by a name in the certificate that its
// connection has shown. Null: everybody is an admin of the tenant "default". Refused: nobody who is known
// (UNAUTHENTICATED), and a role below `least` (PERMISSION_DENIED). The former is logged. Of several tokens in one call
// none counts. REQUIRES: the call has begun. Any thread.
session::Outcome<identity::Caller> CallerOf(const grpc::ServerContext& context, const identity::Callers* callers,
                                            identity::Role least, const session::Clock& clock);

// Why somebody who was let in may not call any more: struck out, over by now, or with a role below `least`.
std::optional<session::Refusal> StillMayCall(const identity::Caller& caller, const identity::Callers* callers,
                                             identity::Role least, const session::Clock& clock);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_CALLER_H_
