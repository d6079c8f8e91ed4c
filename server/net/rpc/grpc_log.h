#ifndef AAREN_SERVER_NET_RPC_GRPC_LOG_H_
#define AAREN_SERVER_NET_RPC_GRPC_LOG_H_

namespace aaren::rpc {

// Sends gRPC's log, and protobuf's complaints about messages, to the server's log from now on, as events "grpc" and
// "protobuf". GRPC_VERBOSITY sets how much gRPC logs; by default errors only. REQUIRES: called before anything of
// gRPC.
void RouteGrpcLog();

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_GRPC_LOG_H_
