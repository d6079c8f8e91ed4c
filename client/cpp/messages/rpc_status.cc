#include "client/cpp/messages/rpc_status.h"

#include <algorithm>

#include "absl/strings/cord.h"
#include "client/cpp/messages/claims.h"
#include "google/rpc/error_details.pb.h"

namespace aaren::client {
namespace {

constexpr char kTypePrefix[] = "type.googleapis.com/";
constexpr int kMostDetails = 64;  // kept: to find a detail is a walk over all
// The client asks again after an hour at most, whatever a server says.
constexpr absl::Duration kLongestRetry = absl::Hours(1);

absl::Status Build(int code, const std::string& message, const google::rpc::Status& details) {
  if (code == 0) return absl::OkStatus();
  absl::Status status(static_cast<absl::StatusCode>(code), message);
  for (int i = 0; i < std::min(details.details_size(), kMostDetails); ++i) {
    status.SetPayload(details.details(i).type_url(), absl::Cord(details.details(i).value()));
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
  // Without readable details the code and the message still count.
  if (!details.ParseFromString(status.error_details())) details.Clear();
  return Build(status.error_code(), status.error_message(), details);
}

absl::Status FromProto(const google::rpc::Status& status, absl::string_view server) {
  Claims claims(server, "Status");
  claims.Within("code", status.code(), 1, 16);
  if (!claims.status().ok()) return claims.status();
  return Build(status.code(), status.message(), status);
}

std::string ErrorReason(const absl::Status& status) {
  const auto info = Detail<google::rpc::ErrorInfo>(status);
  return info ? info->reason() : "";
}

std::optional<absl::Duration> RetryDelay(const absl::Status& status) {
  const auto info = Detail<google::rpc::RetryInfo>(status);
  if (!info) return std::nullopt;
  const absl::Duration delay =
      absl::Seconds(info->retry_delay().seconds()) + absl::Nanoseconds(info->retry_delay().nanos());
  if (delay <= absl::ZeroDuration()) return std::nullopt;
  return std::min(delay, kLongestRetry);
}

}  // namespace aaren::client
