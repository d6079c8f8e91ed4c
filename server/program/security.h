#ifndef AAREN_SERVER_PROGRAM_SECURITY_H_
#define AAREN_SERVER_PROGRAM_SECURITY_H_

// Who is let in, and how, as the settings say.

#include <memory>

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

}  // namespace aaren::program

#endif  // AAREN_SERVER_PROGRAM_SECURITY_H_
