#ifndef AAREN_CLIENT_STATUS_H_
#define AAREN_CLIENT_STATUS_H_

// What a server's errors say beyond code and message. Each detail (google.rpc.ErrorInfo, RetryInfo, BadRequest, …) is a
// payload of the status under its type URL; these readers find the ones that programs act on. Threading: functions.

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace aaren::client {

// ErrorInfo.reason, such as SESSION_NOT_FOUND; empty if there is none.
std::string ErrorReason(const absl::Status& status);

// How long the server asks to wait before the next attempt: more than nothing, and an hour at most, whatever it says.
std::optional<absl::Duration> RetryDelay(const absl::Status& status);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_STATUS_H_
