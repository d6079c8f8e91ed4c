#ifndef AAREN_SERVER_NET_RPC_MESSAGES_BOUNDED_PARSE_H_
#define AAREN_SERVER_NET_RPC_MESSAGES_BOUNDED_PARSE_H_

// ParseBounded turns a stranger's bytes into a message whose size and cost are known before the parse begins.
//
// Protobuf keeps every unknown field, and a field of two bytes may become an object of forty: four megabytes of such
// fields became 185 MB, in a quarter of a second of the shard's thread. Hence the wire format is walked first. The walk
// counts fields, known and unknown, and the memory of packed numbers, and ends at the first bound passed. Unknown
// fields of a message within the bounds are dropped: the server understands a client of a later version.
//
// Threading: pure functions.

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "google/protobuf/message.h"

namespace aaren::rpc {

struct ParseBounds {
  size_t bytes;   // in wire format, and half of the memory of parsed packed numbers and strings
  size_t fields;  // at all depths together; a packed array is one field
};

// A request that holds a few names and numbers.
inline constexpr ParseBounds kSmallRequest{.bytes = 4 << 10, .fields = 256};

// ResourceExhausted beyond a bound, InvalidArgument for bytes that are no message of the type; the status names the
// type and the bound. `message` is then unspecified.
absl::Status ParseBounded(std::string_view bytes, const ParseBounds& bounds, google::protobuf::Message& message);

// The refusal of a message beyond its bounds.
absl::Status BeyondBounds(const google::protobuf::Message& message, const ParseBounds& bounds);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_MESSAGES_BOUNDED_PARSE_H_
