#ifndef AAREN_SERVER_TLS_CREDENTIALS_H_
#define AAREN_SERVER_TLS_CREDENTIALS_H_

// How connections are secured: TLS with a certificate of the server's, and if asked for with one of the client's.

#include <memory>

#include "absl/status/statusor.h"
#include "grpcpp/security/server_credentials.h"
#include "server/tls/tls_files.h"

namespace aaren::tls {

// Plain text if no file is named. The files are looked through first, and those that cannot serve are named
// (InvalidArgument, or why they cannot be read). They are looked at every few seconds: connections that begin ten
// seconds after a change are secured by what is there then, and others go on. While the files cannot serve, or do not
// fit together, what they held before holds, and the log names the file.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeCredentials(const TlsFiles& files);

}  // namespace aaren::tls

#endif  // AAREN_SERVER_TLS_CREDENTIALS_H_
