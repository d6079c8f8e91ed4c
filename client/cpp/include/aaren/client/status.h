#ifndef AAREN_CLIENT_STATUS_H_
#define AAREN_CLIENT_STATUS_H_

// Reads the details of a server's errors beyond code and message. Each detail (google.rpc.ErrorInfo, RetryInfo,
// BadRequest, …) is a payload of the status under its type URL; the readers find the details for programs. Threading:
// functions.

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace aaren::client {

// ErrorInfo.reason, such as SESSION_NOT_FOUND; empty without a reason.
std::string ErrorReason(const absl::Status& status);

// The wait asked for by the server before the next attempt: above zero, and an hour at most, whatever the server says.
std::optional<absl::Duration> RetryDelay(const absl::Status& status);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_STATUS_H_
