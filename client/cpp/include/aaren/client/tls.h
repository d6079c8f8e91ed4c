#ifndef AAREN_CLIENT_TLS_H_
#define AAREN_CLIENT_TLS_H_

// Credentials for TLS from PEM files, looked through beforehand: gRPC itself would only fail to connect, and not say
// which file is to blame. Threading: plain functions.

#include <string>

#include "aaren/client/channel.h"
#include "absl/status/statusor.h"

namespace aaren::client {

struct TlsFiles {
  std::string ca = {};    // certificates that a server's has to be signed by; empty: those of the system
  std::string cert = {};  // this client's own chain, for servers that ask who calls; empty: none
  std::string key = {};   // of `cert`, without a passphrase
};

// INVALID_ARGUMENT if only one of cert and key is given, a file holds no certificate or key, or the key belongs to
// another certificate. Otherwise why a file cannot be read. Errors name the file.
absl::StatusOr<Credentials> ReadTls(const TlsFiles& files);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_TLS_H_
