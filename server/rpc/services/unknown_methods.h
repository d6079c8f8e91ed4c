#ifndef AAREN_SERVER_RPC_SERVICES_UNKNOWN_METHODS_H_
#define AAREN_SERVER_RPC_SERVICES_UNKNOWN_METHODS_H_

// Answers calls of methods that no service here has: UNIMPLEMENTED, by name, and each counts as vain. gRPC would answer
// them itself, within its own look for events: whoever sends them without end would keep the shard there.

#include "grpcpp/generic/async_generic_service.h"
#include "server/rpc/services/unary_host.h"

namespace aaren::rpc {

// The arguments outlive the server.
void RefuseUnknownMethods(grpc::AsyncGenericService& service, UnaryHost& host);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_SERVICES_UNKNOWN_METHODS_H_
