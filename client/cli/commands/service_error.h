#ifndef AAREN_CLIENT_CLI_COMMANDS_SERVICE_ERROR_H_
#define AAREN_CLIENT_CLI_COMMANDS_SERVICE_ERROR_H_

// The error of a subcommand that asks a server, in the form of FromServer; without an answer the error also names the
// target. Threading: a plain function.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/cli/terminal/report.h"

namespace aaren::cli {

inline absl::Status ServiceError(const std::string& what, const std::string& target, const absl::Status& status) {
  const bool nobody = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
  return FromServer(nobody ? absl::StrCat(what, " at ", target) : what, status);
}

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_SERVICE_ERROR_H_
