#ifndef AAREN_SERVER_NET_TLS_CREDENTIALS_H_
#define AAREN_SERVER_NET_TLS_CREDENTIALS_H_

// The credentials of the server's connections: TLS with a server certificate, and if asked for with client
// certificates.

#include <memory>

#include "absl/status/statusor.h"
#include "grpcpp/security/server_credentials.h"
#include "server/net/tls/tls_files.h"

namespace aaren::tls {

// Plain text if no file is named. The files are checked first, and a file that cannot serve is named (InvalidArgument,
// or why the file cannot be read). A thread looks at the files every few seconds: connections begun ten seconds after a
// change use the new files, and open connections go on. While the files cannot serve, or do not fit together, the
// earlier content holds, and the log names the file.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeCredentials(const TlsFiles& files);

}  // namespace aaren::tls

#endif  // AAREN_SERVER_NET_TLS_CREDENTIALS_H_
