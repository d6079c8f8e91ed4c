#ifndef AAREN_SERVER_ACCEPT_FRAME_FLOOD_H_
#define AAREN_SERVER_ACCEPT_FRAME_FLOOD_H_

// Whether a connection brings a flood of HTTP/2 frames that ask for nothing, as streams opened and reset, settings,
// pings. gRPC reads on for as long as they come, and everything else on the shard waits. Kinds that are known are told
// by their frames, and all others by what they do: they are read, and nothing comes of it.
//
// Threading: plain values.

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace aaren::accept {

constexpr size_t kStreamsOfConnection = 256;  // that may be under way at once: clients are told, by HTTP/2's settings

struct FrameCounts {
  size_t frames = 0;
  size_t begun = 0;   // streams
  size_t resets = 0;  // of streams
  size_t empty = 0;   // without data
};

// The frames in `bytes`, which are from anywhere in a connection. None if these are not many small frames.
FrameCounts CountFrames(absl::string_view bytes);

// Whether `bytes`, from anywhere in a connection, are of headers that never end: three CONTINUATION frames in a row. No
// client sends so many for headers of the length that gRPC allows, and gRPC 1.51 keeps whatever they hold.
bool HasEndlessHeaders(absl::string_view bytes);

// Whether `bytes`, from anywhere in a connection, begin twice as many calls as may be under way at once, and end few of
// them. All of them wait unread, so their client has heard of none, and does not keep to the limit.
bool HasTooManyCalls(absl::string_view bytes);

// What speaks for a flood, gathered from looks at one connection while a shard is late. Only of a connection that gRPC
// is reading and of which nothing is handled: another one waits like everybody else, whatever it has sent.
class FloodEvidence {
 public:
  struct Look {
    absl::string_view waiting;  // the bytes that wait, the first of them
    uint64_t read = 0;          // by gRPC, since the connection began
    bool handled = false;       // something of it, since the look before
  };

  // True if it is a flood by now. One kind is hundreds of streams reset, a fifth of the frames or more; another is
  // hundreds of frames without data, nine tenths of all; others are endless headers, and more calls than may wait for
  // their answers. Any other is a connection that was read at every look for a tenth of a second, with more waiting.
  bool Add(const Look& look);

 private:
  bool began_ = false;
  uint64_t read_ = 0;
  int looks_ = 0;                              // one after another
  double resets_ = 0, empty_ = 0, begun_ = 0;  // since then
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_FRAME_FLOOD_H_
