#ifndef AAREN_SERVER_RPC_FRAME_FLOOD_H_
#define AAREN_SERVER_RPC_FRAME_FLOOD_H_

// Whether what waits on a connection is a flood of HTTP/2 frames that ask for nothing: streams opened and reset,
// settings, pings. gRPC reads on for as long as they come, and everything else on the shard waits.

#include "absl/strings/string_view.h"

namespace aaren::rpc {

// So much of what waits is looked at, and less is no flood.
inline constexpr size_t kFloodBytes = 16 << 10, kLeastFloodBytes = 2 << 10;

// `bytes` are from anywhere in a connection. True if they are small frames one after another, of which a fifth reset
// streams or nine tenths carry no data. Clients that want something do neither.
bool IsFrameFlood(absl::string_view bytes);

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_FRAME_FLOOD_H_
