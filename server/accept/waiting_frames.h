#ifndef AAREN_SERVER_ACCEPT_WAITING_FRAMES_H_
#define AAREN_SERVER_ACCEPT_WAITING_FRAMES_H_

// Two things that no client of HTTP/2 may do and that gRPC 1.51 lets happen, each a gigabyte a second: calls beyond the
// limit of a connection, before the client has confirmed the limit; and headers that never end. Both show in the bytes
// that wait to be read. Over TLS the bytes show nothing: TLS for strangers wants an edge, or certificates of clients.
//
// Threading: pure functions.

#include "absl/strings/string_view.h"

namespace aaren::accept {

// True if `bytes`, from anywhere in a connection, have three CONTINUATION frames in a row. No client sends so many for
// headers of the length that gRPC allows.
bool HasEndlessHeaders(absl::string_view bytes);

// True if `bytes`, from anywhere in a connection, begin twice as many calls as may be under way at once, and end few of
// them.
bool HasTooManyCalls(absl::string_view bytes);

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_WAITING_FRAMES_H_
