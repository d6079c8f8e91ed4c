#ifndef AAREN_SERVER_NET_RPC_STREAMS_STREAM_GROUP_H_
#define AAREN_SERVER_NET_RPC_STREAMS_STREAM_GROUP_H_

// A StreamGroup has the streams of a shard. A round of the shard's loop handles events, calls HandleInput, steps a
// slice, and calls Flush: all replies to a stream leave in a single write. No call takes longer than the given time;
// the rest has a turn in the next round.
//
// Threading: the shard's thread only, except counters().

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "server/net/rpc/streams/stream_commons.h"
#include "server/net/rpc/streams/stream_counters.h"
#include "server/net/rpc/streams/stream_info.h"
#include "server/net/rpc/streams/stream_walk.h"

namespace aaren::rpc {

class StreamGroup {
 public:
  explicit StreamGroup(StreamHost host) : commons_(std::move(host)), walk_(commons_) {}

  // Waits for the next stream. Each new stream calls Accept again.
  void Accept();

  // Handles received items, stream after stream. True if an item was handled. REQUIRES: called once a round.
  bool HandleInput(absl::Duration at_most);

  // Writes the round's replies and ends finished streams. REQUIRES: called once a round, after the shard's Step.
  void Flush(absl::Duration at_most);

  // Ends streams after too long a wait, and streams of callers without the right any more (stream_walk.h).
  void EndStale(absl::Duration at_most) { walk_.GoOn(at_most); }

  // Tells every stream of the server's leaving, and refuses new streams.
  void Drain(absl::Duration deadline);

  // No stream takes another item; the rest of the clients' items is dropped. REQUIRES: Drain was called.
  void StopReading() { commons_.phase = StreamCommons::Phase::kAnswering; }

  // Ends every stream with UNAVAILABLE once the replies are written. REQUIRES: StopReading().
  void Close();

  // Gives up on clients with unread replies.
  void Cancel();

  // The oldest streams behind number `after`, `most` in number.
  std::vector<StreamInfo> Describe(uint64_t after, size_t most) const;

  // True if the next round has something to do at once.
  bool busy() const { return !commons_.to_flush.empty() || !commons_.with_items.empty(); }
  bool empty() const { return commons_.table.streams().empty(); }
  const StreamCounters& counters() const { return commons_.counters; }

 private:
  StreamCommons commons_;
  StreamWalk walk_;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_STREAM_GROUP_H_
