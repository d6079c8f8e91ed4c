#ifndef AAREN_SERVER_ACCEPT_CLIENT_HELLO_H_
#define AAREN_SERVER_ACCEPT_CLIENT_HELLO_H_

// Whether a TLS connection's first message, its ClientHello (RFC 8446, 4.1.2), has come whole. Threading: pure
// functions.

#include <cstddef>

#include "absl/strings/string_view.h"

namespace aaren::accept {

// Of the message alone. Clients need two kilobytes at most.
inline constexpr size_t kLongestClientHello = 16 << 10;

enum class ClientHello {
  kPart,     // more of it must come
  kWhole,    // whatever else has
  kNone,     // something else
  kTooLong,  // as it says by itself
};

// `bytes`: what has come first, from the first byte on. The message may lie in several records (RFC 8446, 5.1).
ClientHello LookForClientHello(absl::string_view bytes);

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_CLIENT_HELLO_H_
