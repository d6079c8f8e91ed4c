#ifndef AAREN_SERVER_STORE_REDIS_REDIS_TLS_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_TLS_H_

// A RedisTls is TLS over the socket of a connection to a Redis, by OpenSSL: the distribution's hiredis has no TLS. No
// call waits: bytes that the socket does not take or have now are tried again when the socket is ready. The handshake
// goes on with every Write and Read. Threading: belongs to one thread.

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace aaren::store {

// PEM files, read anew for each connection.
struct RedisTlsFiles {
  bool enabled() const { return !ca.empty(); }

  std::string ca;         // authorities of the Redis' certificate; empty: no TLS
  std::string cert, key;  // this server's own certificate; empty: none
};

class RedisTls {
 public:
  // For a connection to `host`, a name or an address that the certificate must have. The socket does not block, and
  // outlives the RedisTls. NotFound, naming the setting, for a file that cannot be used. REQUIRES: files.enabled().
  static absl::StatusOr<std::unique_ptr<RedisTls>> Begin(const RedisTlsFiles& files, const std::string& host,
                                                         int socket);

  // The number of bytes that were taken or came; 0: none for now. Unavailable: the connection is over. The caller gives
  // bytes that were not taken again, from wherever the bytes are by then.
  absl::StatusOr<size_t> Write(absl::string_view bytes);
  absl::StatusOr<size_t> Read(absl::Span<char> into);

  // True if a Write has to wait for a Read.
  bool awaits_read() const { return awaits_read_; }

 private:
  template <auto free>
  struct Free {
    template <typename T>
    void operator()(T* object) const {
      free(object);
    }
  };
  using Context = std::unique_ptr<SSL_CTX, Free<&SSL_CTX_free>>;

  RedisTls(Context context, SSL* ssl) : context_(std::move(context)), ssl_(ssl) {}
  absl::StatusOr<size_t> Moved(int result);

  const Context context_;
  const std::unique_ptr<SSL, Free<&SSL_free>> ssl_;
  bool awaits_read_ = false;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_TLS_H_
