#ifndef AAREN_SERVER_NET_TLS_TLS_FILES_H_
#define AAREN_SERVER_NET_TLS_TLS_FILES_H_

// The files that secure connections, and the errors in the files. Threading: plain values, pure functions.

#include <string>

#include "absl/status/statusor.h"

namespace aaren::tls {

// PEM files; empty: none.
struct TlsFiles {
  std::string cert;  // the server's, and all up to its authority
  std::string key;
  std::string client_ca;  // authority of clients' certificates; set: each client must show one
};

// The content of the files.
struct TlsTexts {
  std::string cert, key, client_ca;
  friend bool operator==(const TlsTexts&, const TlsTexts&) = default;
};

// InvalidArgument naming the file that cannot serve, or why the file cannot be read.
absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files);

}  // namespace aaren::tls

#endif  // AAREN_SERVER_NET_TLS_TLS_FILES_H_
