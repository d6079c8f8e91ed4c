#ifndef AAREN_SERVER_NET_RPC_SERVICES_REFLECTION_SERVICE_H_
#define AAREN_SERVER_NET_RPC_SERVICES_REFLECTION_SERVICE_H_

// Serves the services ServerReflection of grpc.reflection.v1 and v1alpha on a shard's queue: tools like grpcurl can
// list and call the services without the .proto files. Tools ask for v1 first, and older tools for v1alpha alone. Both
// have the same messages on the wire, so the answers are made as messages of v1alpha. Answers come from the descriptors
// linked into the program.
//
// gRPC's own plug-in is a synchronous service with threads that poll beside the shard's (README.md has the
// price).

#include <string>
#include <vector>

#include "grpc/reflection/v1alpha/reflection.pb.h"
#include "server/net/rpc/services/unary_call.h"

namespace aaren::rpc {

// `service` is of either version, `services` are full names. The arguments outlive the server.
void ServeReflection(HeadersFirstService& service, UnaryHost& host, const std::vector<std::string>& services);

// The answer to one request.
grpc::reflection::v1alpha::ServerReflectionResponse Reflect(
    const grpc::reflection::v1alpha::ServerReflectionRequest& request, const std::vector<std::string>& services);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_SERVICES_REFLECTION_SERVICE_H_
