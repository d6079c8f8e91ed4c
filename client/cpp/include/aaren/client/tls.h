#ifndef AAREN_CLIENT_TLS_H_
#define AAREN_CLIENT_TLS_H_

// Credentials for TLS from PEM files, checked beforehand: gRPC itself would only fail to connect, without naming the
// bad file. Threading: plain functions.

#include <string>

#include "aaren/client/channel.h"
#include "absl/status/statusor.h"

namespace aaren::client {

struct TlsFiles {
  std::string ca = {};    // authorities for the server's certificate; empty: the system's
  std::string cert = {};  // this client's own chain, for servers that ask for a certificate; empty: none
  std::string key = {};   // the key of `cert`, without a passphrase
};

// INVALID_ARGUMENT if only cert or only key is given, a file holds no certificate or key, or the key belongs to another
// certificate. Otherwise why a file cannot be read. Errors name the file.
absl::StatusOr<Credentials> ReadTls(const TlsFiles& files);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_TLS_H_
