#ifndef AAREN_SERVER_TRACE_TRACEPARENT_H_
#define AAREN_SERVER_TRACE_TRACEPARENT_H_

// What a client's `traceparent` says (W3C Trace Context, section 3.2): version, trace, parent and flags, in
// hexadecimal.
//
//   00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
//
// Whether the client samples its own trace does not matter here: the share of messages that is traced is the
// operator's. Threading: pure functions.

#include <optional>
#include <string_view>

#include "server/trace/span.h"

namespace aaren::trace {

// None if it is malformed. What a later version adds behind the flags is left alone.
std::optional<SpanContext> ParseTraceparent(std::string_view text);

}  // namespace aaren::trace

#endif  // AAREN_SERVER_TRACE_TRACEPARENT_H_
