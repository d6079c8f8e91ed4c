#ifndef AAREN_CLIENT_CPP_MESSAGES_RPC_STATUS_H_
#define AAREN_CLIENT_CPP_MESSAGES_RPC_STATUS_H_

// Turns a server's errors into absl::Status. Code and message stay; each detail becomes a payload under its type URL,
// for the readers in aaren/client/status.h. Threading: functions.

#include <grpcpp/support/status.h>

#include "aaren/client/status.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/rpc/status.pb.h"

namespace aaren::client {

absl::Status FromGrpc(const grpc::Status& status);

// Never OK: INTERNAL, naming `server`, for a code that is no error.
absl::Status FromProto(const google::rpc::Status& status, absl::string_view server);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_MESSAGES_RPC_STATUS_H_
