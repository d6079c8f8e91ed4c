#ifndef AAREN_SERVER_RPC_GRPC_LOG_H_
#define AAREN_SERVER_RPC_GRPC_LOG_H_

namespace aaren::rpc {

// What gRPC has to say goes into the server's log from now on, as event "grpc". How much that is says GRPC_VERBOSITY:
// errors, if it is not set. REQUIRES: called before anything of gRPC.
void RouteGrpcLog();

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_GRPC_LOG_H_
