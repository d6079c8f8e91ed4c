#ifndef AAREN_SERVER_PROGRAM_SECURITY_H_
#define AAREN_SERVER_PROGRAM_SECURITY_H_

// Credentials and callers, from the settings.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "grpcpp/security/server_credentials.h"
#include "server/identity/callers.h"
#include "server/program/config/config.h"

namespace aaren::program {

struct Security {
  std::shared_ptr<grpc::ServerCredentials> credentials;
  std::unique_ptr<identity::Callers> callers;  // for the server's life; null: everybody may do everything
};

// InvalidArgument or NotFound, naming the file.
absl::StatusOr<Security> OpenSecurity(const config::ServerConfig& config);

// The callers of the list, as comments of a printed configuration. InvalidArgument, naming the
// setting, for a wrong line or key; a list on another machine, where the server will run, is not
// checked.
absl::StatusOr<std::string> DescribeCallers(const config::ServerConfig& config);

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_SECURITY_H_
