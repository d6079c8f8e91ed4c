#ifndef AAREN_SERVER_ACCEPT_FRAME_FLOOD_H_
#define AAREN_SERVER_ACCEPT_FRAME_FLOOD_H_

// Whether a connection brings a flood of HTTP/2 frames that ask for nothing: streams opened and reset, settings, pings.
// gRPC reads on for as long as they come, and everything else on the shard waits.
//
// Threading: plain values.

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace aaren::accept {

struct FrameCounts {
  size_t frames = 0;
  size_t resets = 0;  // of streams
  size_t empty = 0;   // without data
};

// The frames in `bytes`, which are from anywhere in a connection. None if these are not many small frames.
FrameCounts CountFrames(absl::string_view bytes);

// What speaks for a flood, gathered from looks at what waits on one connection while a shard is late. Clients that want
// something send data, and give up few calls: some dozens while they are kept waiting.
class FloodEvidence {
 public:
  // `waiting`: the bytes that wait. `received`: how many the connection has brought since it began. True if it is a
  // flood by now: hundreds of streams reset, a fifth of the frames or more, or hundreds without data, nine tenths.
  bool Add(absl::string_view waiting, uint64_t received);

 private:
  bool began_ = false;
  uint64_t received_ = 0;
  double resets_ = 0, empty_ = 0;  // since then
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_FRAME_FLOOD_H_
