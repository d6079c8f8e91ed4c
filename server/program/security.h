#ifndef AAREN_SERVER_PROGRAM_SECURITY_H_
#define AAREN_SERVER_PROGRAM_SECURITY_H_

// Who is let in, and how, as the settings say.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "grpcpp/security/server_credentials.h"
#include "server/config/config.h"
#include "server/identity/callers.h"

namespace aaren::program {

struct Security {
  std::shared_ptr<grpc::ServerCredentials> credentials;
  std::unique_ptr<identity::Callers> callers;  // for the server's life; null: everybody may everything
};

// InvalidArgument or NotFound, naming the file.
absl::StatusOr<Security> OpenSecurity(const config::ServerConfig& config);

// Whom the list of callers lets in, as comments of a printed configuration. InvalidArgument, naming the setting, for a
// line of it or a key that is wrong; a list that is elsewhere, where the server will run, is none of this machine's
// business.
absl::StatusOr<std::string> DescribeCallers(const config::ServerConfig& config);

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_SECURITY_H_
