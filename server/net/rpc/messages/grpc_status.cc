#include "server/net/rpc/messages/grpc_status.h"

#include "google/rpc/status.pb.h"
#include "server/net/rpc/messages/convert.h"

namespace aaren::rpc {

grpc::Status ToGrpcStatus(const absl::Status& status, const std::string& details) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()), details);
}

grpc::Status ToGrpcStatus(const session::Refusal& refusal) {
  return ToGrpcStatus(refusal.status, ToRpcStatus(refusal).SerializeAsString());
}

}  // namespace aaren::rpc
