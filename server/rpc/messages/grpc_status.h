#ifndef AAREN_SERVER_RPC_MESSAGES_GRPC_STATUS_H_
#define AAREN_SERVER_RPC_MESSAGES_GRPC_STATUS_H_

// The one place where an absl::Status becomes a grpc::Status. Their codes are numbered alike.

#include <string>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"
#include "server/session/peer.h"

namespace aaren::rpc {

// `details` is a serialised google.rpc.Status, or empty.
grpc::Status ToGrpcStatus(const absl::Status& status, const std::string& details = "");

// With the refusal's details, for a call that it ends.
grpc::Status ToGrpcStatus(const session::Refusal& refusal);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_MESSAGES_GRPC_STATUS_H_
