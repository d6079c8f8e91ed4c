#ifndef AAREN_SERVER_RPC_CALLER_H_
#define AAREN_SERVER_RPC_CALLER_H_

// Who is at the other end of a call. Every call asks here, and nowhere else.

#include "grpcpp/server_context.h"
#include "server/identity/caller.h"
#include "server/identity/roster_file.h"
#include "server/session/peer.h"

namespace aaren::rpc {

// The caller whom the roster knows by the call's token (authorization: Bearer …) or else by a name in the certificate
// that its connection has shown. Without a roster everybody is an admin of the tenant "default". Refused: nobody whom
// the roster knows (UNAUTHENTICATED), and a role below `least` (PERMISSION_DENIED). The former is logged. Where many of
// one host were refused so, its tokens are not looked at for a while, but for those that were known. `now_ns` is
// monotonic. REQUIRES: the call has begun. Any thread.
session::Outcome<identity::Caller> CallerOf(const grpc::ServerContext& context, const identity::RosterFile* roster,
                                            identity::Role least, int64_t now_ns);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_CALLER_H_
