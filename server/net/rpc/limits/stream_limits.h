#ifndef AAREN_SERVER_NET_RPC_LIMITS_STREAM_LIMITS_H_
#define AAREN_SERVER_NET_RPC_LIMITS_STREAM_LIMITS_H_

// How much clients may make one shard hold, and for how long, beside tokens and sessions (for both see ShardOptions).
// README.md lists every limit.

#include <cstddef>

#include "absl/time/time.h"

namespace aaren::rpc {

struct StreamLimits {
  size_t streams = 16'384;                 // open at once
  size_t unread_bytes = size_t{64} << 20;  // replies that clients have not read, of all streams together
  size_t input_bytes = size_t{64} << 20;   // messages not handled to their end, of all streams together
  size_t unary_calls = 512;                // at once, watches of the health service apart
  size_t unary_bytes = size_t{16} << 20;   // unary requests, and unary replies not taken
  size_t watches = 1'024;
  size_t reflections = 64;                    // calls of the reflection service
  size_t import_bytes = 4 << 20;              // the largest import
  absl::Duration hello = absl::Seconds(10);   // a stream's first item must come within
  absl::Duration unread = absl::Seconds(60);  // a client must have read a message within
  absl::Duration unused = absl::Minutes(10);  // a stream without a session ends after this time
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_LIMITS_STREAM_LIMITS_H_
