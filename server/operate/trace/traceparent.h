#ifndef AAREN_SERVER_OPERATE_TRACE_TRACEPARENT_H_
#define AAREN_SERVER_OPERATE_TRACE_TRACEPARENT_H_

// A client's `traceparent` (W3C Trace Context, section 3.2): version, trace, parent and flags, in
// hexadecimal.
//
//   00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
//
// The client's flag of sampling does not matter: the share of traced messages is the operator's. Threading: pure
// functions.

#include <optional>
#include <string_view>

#include "server/operate/trace/span.h"

namespace aaren::trace {

// None for malformed text. Additions of later versions behind the flags are ignored.
std::optional<SpanContext> ParseTraceparent(std::string_view text);

}  // namespace aaren::trace

#endif  // AAREN_SERVER_OPERATE_TRACE_TRACEPARENT_H_
