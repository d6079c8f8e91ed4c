#ifndef AAREN_SERVER_RPC_GRPC_LOG_H_
#define AAREN_SERVER_RPC_GRPC_LOG_H_

namespace aaren::rpc {

// What gRPC has to say, and protobuf about messages that it cannot read, goes into the server's log from now on, as
// events "grpc" and "protobuf". How much gRPC says is for GRPC_VERBOSITY: errors, if it is not set. REQUIRES: called
// before anything of gRPC.
void RouteGrpcLog();

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_GRPC_LOG_H_
