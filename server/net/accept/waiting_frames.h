#ifndef AAREN_SERVER_NET_ACCEPT_WAITING_FRAMES_H_
#define AAREN_SERVER_NET_ACCEPT_WAITING_FRAMES_H_

// Finds two breaches of HTTP/2 in the bytes waiting to be read. gRPC 1.51 lets both happen, each at a gigabyte a
// second: calls beyond the limit of a connection, before the client has confirmed the limit; and headers that never
// end. Over TLS the bytes show nothing: TLS for strangers wants an edge, or certificates of clients.
//
// Threading: pure functions.

#include "absl/strings/string_view.h"

namespace aaren::accept {

// True if `bytes`, from anywhere in a connection, begin twice as many calls as may be under way at once, and end few,
// or close with three or more CONTINUATION frames of one unfinished header: gRPC's longest header takes fewer.
bool BreakHttp2(absl::string_view bytes);

}  // namespace aaren::accept

#endif  // AAREN_SERVER_NET_ACCEPT_WAITING_FRAMES_H_
