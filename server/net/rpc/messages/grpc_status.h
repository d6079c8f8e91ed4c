#ifndef AAREN_SERVER_NET_RPC_MESSAGES_GRPC_STATUS_H_
#define AAREN_SERVER_NET_RPC_MESSAGES_GRPC_STATUS_H_

// Turns an absl::Status into a grpc::Status, here and nowhere else. The codes are numbered alike.

#include <string>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"
#include "server/sessions/session/peer.h"

namespace aaren::rpc {

// `details` is a serialised google.rpc.Status, or empty.
grpc::Status ToGrpcStatus(const absl::Status& status, const std::string& details = "");

// With the refusal's details, for a call that the refusal ends.
grpc::Status ToGrpcStatus(const session::Refusal& refusal);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_MESSAGES_GRPC_STATUS_H_
