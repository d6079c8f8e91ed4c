#ifndef AAREN_SERVER_NET_TLS_TLS_COPY_H_
#define AAREN_SERVER_NET_TLS_TLS_COPY_H_

// A TlsCopy is the content of the TLS files when they last fitted together. gRPC takes any content of its files, and
// then accepts nobody: half of a certificate, or a certificate without its key. Hence gRPC watches a copy.
//
// Threading: Open, then Refresh by one thread at a time; any thread reads the paths.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/net/tls/memory_file.h"
#include "server/net/tls/tls_files.h"

namespace aaren::tls {

class TlsCopy {
 public:
  // Errors: ReadTlsFiles's.
  static absl::StatusOr<std::unique_ptr<TlsCopy>> Open(const TlsFiles& files);

  // Copies the files again, if all fit together. Else the copy stays, with the error of ReadTlsFiles.
  absl::Status Refresh();

  // Key and certificate are in one file: no reader mixes an old key with a new certificate.
  std::string pair_path() const { return pair_.path(); }
  std::string client_ca_path() const { return files_.client_ca.empty() ? "" : client_ca_.path(); }

 private:
  explicit TlsCopy(TlsFiles files) : files_(std::move(files)) {}

  const TlsFiles files_;
  TlsTexts texts_;
  MemoryFile pair_, client_ca_;
};

}  // namespace aaren::tls

#endif  // AAREN_SERVER_NET_TLS_TLS_COPY_H_
