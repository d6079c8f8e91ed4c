#ifndef AAREN_SERVER_NET_RPC_SERVICES_SESSIONS_SERVICE_H_
#define AAREN_SERVER_NET_RPC_SERVICES_SESSIONS_SERVICE_H_

// Serves aaren.v1.Sessions on a shard's queue: every method asks Sessions, which finds the session in a shard or
// in the store.

#include "aaren/v1/sessions.grpc.pb.h"
#include "server/net/rpc/services/unary_call.h"
#include "server/sessions/registrar/sessions.h"

namespace aaren::rpc {

// The arguments outlive the server.
void ServeSessions(HeadersFirstService& service, UnaryHost& host, registrar::Sessions& sessions);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_SERVICES_SESSIONS_SERVICE_H_
