#ifndef AAREN_SERVER_TLS_TLS_COPY_H_
#define AAREN_SERVER_TLS_TLS_COPY_H_

// A TlsCopy is what the files of TLS held when they last fitted together. gRPC takes whatever its files hold, and then
// accepts nobody: half of a certificate, or one whose key comes a moment later. So it is given this copy to watch.
//
// Threading: Open, then Refresh by one thread at a time; anybody reads the paths.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/tls/memory_file.h"
#include "server/tls/tls_files.h"

namespace aaren::tls {

class TlsCopy {
 public:
  // As ReadTlsFiles.
  static absl::StatusOr<std::unique_ptr<TlsCopy>> Open(const TlsFiles& files);

  // Copies the files again, if they fit together. Else the copy stays as it is; the error is that of ReadTlsFiles.
  absl::Status Refresh();

  // Key and certificate are one file, so that nobody reads one of before and one of after a change.
  std::string pair_path() const { return pair_.path(); }
  std::string client_ca_path() const { return files_.client_ca.empty() ? "" : client_ca_.path(); }

 private:
  explicit TlsCopy(TlsFiles files) : files_(std::move(files)) {}

  const TlsFiles files_;
  TlsTexts texts_;
  MemoryFile pair_, client_ca_;
};

}  // namespace aaren::tls

#endif  // AAREN_SERVER_TLS_TLS_COPY_H_
