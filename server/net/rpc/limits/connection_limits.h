#ifndef AAREN_SERVER_NET_RPC_LIMITS_CONNECTION_LIMITS_H_
#define AAREN_SERVER_NET_RPC_LIMITS_CONNECTION_LIMITS_H_

// Limits of every connection of the program's gRPC servers, and how long a connection may last.

#include <cstddef>

#include "absl/time/time.h"
#include "grpcpp/server_builder.h"

namespace aaren::rpc {

inline constexpr size_t kStreamsOfConnection = 256;  // under way at once; HTTP/2's settings tell clients

// Zero: for ever.
struct ConnectionLimits {
  absl::Duration handshake = absl::Seconds(10);  // until HTTP/2 is agreed on
  absl::Duration idle = absl::Minutes(5);        // without a call
  absl::Duration age = absl::Hours(24);          // then clients are asked to connect anew, within a minute
};

// Sets the limits. Clients may probe as often as they like. Messages are not compressed.
void SetConnections(const ConnectionLimits& limits, grpc::ServerBuilder& builder);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_LIMITS_CONNECTION_LIMITS_H_
