#ifndef AAREN_SERVER_NET_RPC_SERVICES_UNKNOWN_METHODS_H_
#define AAREN_SERVER_NET_RPC_SERVICES_UNKNOWN_METHODS_H_

// Answers calls of unknown methods with UNIMPLEMENTED, by name, each counted as vain. gRPC would answer by itself,
// during the shard's look for events: a client sending unknown calls without end would keep the shard's thread.

#include "grpcpp/generic/async_generic_service.h"
#include "server/net/rpc/services/unary_host.h"

namespace aaren::rpc {

// The arguments outlive the server.
void RefuseUnknownMethods(grpc::AsyncGenericService& service, UnaryHost& host);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_SERVICES_UNKNOWN_METHODS_H_
