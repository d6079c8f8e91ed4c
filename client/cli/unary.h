#ifndef AAREN_CLIENT_CLI_UNARY_H_
#define AAREN_CLIENT_CLI_UNARY_H_

// One question to a server, one answer. Threading: plain functions; they block.

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/cli/report.h"
#include "client/cpp/status.h"

namespace aaren::cli {

// A channel on which an answer of any size fits.
std::shared_ptr<grpc::Channel> OpenChannel(const std::string& target);

// A deadline far enough for any answer.
void SetDeadline(grpc::ClientContext& context);

// Calls `method` of the stub. Errors name `what` was asked for, as FromServer does, and where nobody answered.
template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> Ask(Stub& stub, const std::string& target, absl::string_view what,
                             grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                             const Request& request) {
  grpc::ClientContext context;
  SetDeadline(context);
  Response response;
  const grpc::Status answer = (stub.*method)(&context, request, &response);
  if (answer.ok()) return response;
  const absl::Status status = client::FromGrpc(answer);
  return FromServer(absl::IsUnavailable(status) ? absl::StrCat(what, " at ", target) : what, status);
}

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_UNARY_H_
