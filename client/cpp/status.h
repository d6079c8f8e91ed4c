#ifndef AAREN_CLIENT_CPP_STATUS_H_
#define AAREN_CLIENT_CPP_STATUS_H_

// Turns a server's errors into absl::Status. Code and message stay; each detail (google.rpc.ErrorInfo, RetryInfo,
// BadRequest, …) becomes a payload under its type URL, and the readers below find the ones that programs act on.

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "google/rpc/status.pb.h"
#include "grpcpp/support/status.h"

namespace aaren::client {

absl::Status FromGrpc(const grpc::Status& status);
absl::Status FromProto(const google::rpc::Status& status);

// ErrorInfo.reason, such as SESSION_NOT_FOUND; empty if there is none.
std::string ErrorReason(const absl::Status& status);

// RetryInfo.retry_delay.
std::optional<absl::Duration> RetryDelay(const absl::Status& status);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_STATUS_H_
