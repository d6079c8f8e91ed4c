#ifndef AAREN_SERVER_TLS_TLS_FILES_H_
#define AAREN_SERVER_TLS_TLS_FILES_H_

// The files by which connections are secured, and what is wrong with them. Threading: plain values, pure functions.

#include <string>

#include "absl/status/statusor.h"

namespace aaren::tls {

// PEM files; empty: none.
struct TlsFiles {
  std::string cert;  // the server's, and those between it and its authority
  std::string key;
  std::string client_ca;  // who may have signed clients' certificates; then each client must show one
};

// What they hold.
struct TlsTexts {
  std::string cert, key, client_ca;
  friend bool operator==(const TlsTexts&, const TlsTexts&) = default;
};

// InvalidArgument naming the file that cannot serve, or why it cannot be read.
absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files);

}  // namespace aaren::tls

#endif  // AAREN_SERVER_TLS_TLS_FILES_H_
