#ifndef AAREN_SERVER_ACCEPT_CLIENT_HELLO_H_
#define AAREN_SERVER_ACCEPT_CLIENT_HELLO_H_

// Tells whether a TLS connection's first message, the ClientHello (RFC 8446, 4.1.2), has come whole. Threading: pure
// functions.

#include <cstddef>

#include "absl/strings/string_view.h"

namespace aaren::accept {

// The length of the message alone. Clients need two kilobytes at most.
inline constexpr size_t kLongestClientHello = 16 << 10;

enum class ClientHello {
  kPart,     // more bytes of the hello must come
  kWhole,    // the hello has come; more bytes may follow
  kNone,     // something else
  kTooLong,  // by the length in its own header
};

// `bytes`: the first bytes of the connection. The message may lie in several records (RFC 8446, 5.1).
ClientHello LookForClientHello(absl::string_view bytes);

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_CLIENT_HELLO_H_
