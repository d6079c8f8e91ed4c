#ifndef AAREN_CLIENT_CLI_COMMANDS_UNARY_H_
#define AAREN_CLIENT_CLI_COMMANDS_UNARY_H_

// The server of a subcommand that asks questions. Threading: plain values; Ask blocks.

#include <grpcpp/grpcpp.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/cli/terminal/report.h"
#include "client/cpp/unary.h"

namespace aaren::cli {

struct Asked {
  std::string target;
  client::ChannelOptions channel;
  absl::Duration timeout = client::kUnaryTimeout;
};

// Calls `method` of the stub. Errors name `what` was asked for, as FromServer does, and where nobody answered.
template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> Ask(Stub& stub, const Asked& asked, absl::string_view what,
                             grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                             const Request& request) {
  absl::StatusOr<Response> answer = client::CallUnary(stub, method, request, asked.channel, asked.timeout);
  if (answer.ok()) return answer;
  const bool nobody = absl::IsUnavailable(answer.status()) || absl::IsDeadlineExceeded(answer.status());
  return FromServer(nobody ? absl::StrCat(what, " at ", asked.target) : what, answer.status());
}

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_UNARY_H_
