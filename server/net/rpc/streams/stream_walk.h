#ifndef AAREN_SERVER_NET_RPC_STREAMS_STREAM_WALK_H_
#define AAREN_SERVER_NET_RPC_STREAMS_STREAM_WALK_H_

// A StreamWalk looks at every open stream of a shard each second, some streams with each call: ends the streams that
// have waited for their clients for too long, and the streams of callers without the right any more.
// Threading: belongs to one shard.

#include <cstdint>

#include "absl/time/time.h"
#include "server/identity/callers.h"
#include "server/net/rpc/streams/stream_commons.h"

namespace aaren::rpc {

class StreamWalk {
 public:
  explicit StreamWalk(StreamCommons& commons) : commons_(commons) {}

  // Goes on for about `at_most`. Call it every few milliseconds.
  void GoOn(absl::Duration at_most);

 private:
  void Begin(absl::Time now);

  StreamCommons& commons_;
  absl::Time next_ = absl::InfinitePast();  // when the next walk begins
  uint64_t at_ = 0, to_ = 0;                // numbers of streams: the last stream looked at, the last of the walk
  identity::Callers::Known callers_;        // the walk's callers
  bool callers_changed_ = false;            // since the walk before
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_STREAM_WALK_H_
