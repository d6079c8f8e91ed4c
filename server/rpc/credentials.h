#ifndef AAREN_SERVER_RPC_CREDENTIALS_H_
#define AAREN_SERVER_RPC_CREDENTIALS_H_

// How connections are secured: TLS with a certificate of the server's, and if asked for with one of the client's.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "grpcpp/security/server_credentials.h"

namespace aaren::rpc {

// PEM files; empty: none.
struct TlsFiles {
  std::string cert;  // the server's, and those between it and its authority
  std::string key;
  std::string client_ca;  // who may have signed clients' certificates; then each client must show one
};

// Plain text if no file is named. The files are looked through first, and those that cannot serve are named
// (InvalidArgument, or why they cannot be read). They are looked at every ten seconds: connections that begin after a
// change are secured by what is there then, and others go on.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeCredentials(const TlsFiles& files);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_CREDENTIALS_H_
