#include "client/cpp/messages/rpc_status.h"

#include "absl/strings/cord.h"
#include "google/rpc/error_details.pb.h"

namespace aaren::client {
namespace {

constexpr char kTypePrefix[] = "type.googleapis.com/";

absl::Status Build(int code, const std::string& message, const google::rpc::Status& details) {
  if (code == 0) return absl::OkStatus();
  absl::Status status(static_cast<absl::StatusCode>(code), message);
  for (const google::protobuf::Any& detail : details.details()) {
    status.SetPayload(detail.type_url(), absl::Cord(detail.value()));
  }
  return status;
}

template <typename Message>
std::optional<Message> Detail(const absl::Status& status) {
  const auto payload = status.GetPayload(kTypePrefix + Message::descriptor()->full_name());
  Message message;
  if (!payload || !message.ParseFromString(std::string(*payload))) return std::nullopt;
  return message;
}

}  // namespace

absl::Status FromGrpc(const grpc::Status& status) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) details.Clear();
  return Build(status.error_code(), status.error_message(), details);
}

absl::Status FromProto(const google::rpc::Status& status) { return Build(status.code(), status.message(), status); }

std::string ErrorReason(const absl::Status& status) {
  const auto info = Detail<google::rpc::ErrorInfo>(status);
  return info ? info->reason() : "";
}

std::optional<absl::Duration> RetryDelay(const absl::Status& status) {
  const auto info = Detail<google::rpc::RetryInfo>(status);
  if (!info) return std::nullopt;
  return absl::Seconds(info->retry_delay().seconds()) + absl::Nanoseconds(info->retry_delay().nanos());
}

}  // namespace aaren::client
