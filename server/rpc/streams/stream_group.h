#ifndef AAREN_SERVER_RPC_STREAMS_STREAM_GROUP_H_
#define AAREN_SERVER_RPC_STREAMS_STREAM_GROUP_H_

// A StreamGroup is the streams of one shard and what they share. That is the service and queue they come from, the
// shard they feed, room for their replies, scratch memory, and the lists of those with something to do. A round of the
// shard's loop handles events, then HandleInput, steps a slice, and then calls Flush, so that everything a stream is
// owed leaves in one write. Neither takes longer than it is given: what is left has its turn in the next round.
//
// Threading: the shard's thread only, except counters().

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "aaren/v1/stream.grpc.pb.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "grpcpp/server_builder.h"
#include "grpcpp/support/status.h"
#include "server/accept/heard.h"
#include "server/identity/callers.h"
#include "server/rpc/limits/last_words.h"
#include "server/rpc/limits/stream_limits.h"
#include "server/rpc/streams/outbox.h"
#include "server/rpc/streams/stream_info.h"
#include "server/rpc/streams/waiting_streams.h"
#include "server/shard/shard.h"

namespace aaren::rpc {

class Stream;

// Streaming as bytes: server/rpc/messages/envelope.h says why.
using StreamingService = v1::Streaming::WithRawMethod_Stream<v1::Streaming::Service>;

// Of all streams that a group has had.
struct StreamCounters {
  counters::Counter opened, closed, refused, timed_out, messages_received, messages_sent, bytes_received, bytes_sent;
  counters::Counter unread_bytes;  // a level: replies that clients have not read
};

// UNAVAILABLE, with the advice to come back in a second.
grpc::Status GoneStatus();

// Where to write when something of a peer's connection was handled; may be null (accept/acceptor.h).
using Heard = std::shared_ptr<accept::Heard>;
using HeardOf = std::function<Heard(absl::string_view peer)>;

class StreamGroup {
 public:
  // `welcome` is what Welcome tells. All arguments but it and `limits` outlive this; `calls` counts the calls alive on
  // `queue`, and `last_words` those that have ended.
  StreamGroup(StreamingService& service, grpc::ServerCompletionQueue& queue, shard::SessionShard& shard,
              v1::Limits welcome, const StreamLimits& limits, const session::Clock& clock, int& calls,
              LastWords& last_words, HeardOf heard_of = nullptr, const identity::Callers* callers = nullptr);

  // Waits for the next stream; each stream that comes does so again.
  void Accept();

  // Handles items that have come, of one stream after another. True if it did anything. REQUIRES: called once a round.
  bool HandleInput(absl::Duration at_most);

  // Writes what is owed and ends the streams that are done. REQUIRES: called once a round, after the shard's Step.
  void Flush(absl::Duration at_most);

  // Ends streams that have not said Hello, do not read, or have nothing open, for too long, and those whose callers
  // were struck out or may not have them any more. Each second all streams get a look, some with each call. REQUIRES:
  // called every few milliseconds.
  void EndStale(absl::Duration at_most);

  // Tells every stream that the server leaves, and refuses new ones.
  void Drain(absl::Duration deadline);

  // No stream takes another item; the rest of what clients sent is dropped.
  void StopReading() { reading_ = false; }

  // Ends every stream with UNAVAILABLE once its replies are written. REQUIRES: StopReading().
  void Close();

  // Gives up on clients that do not read their replies.
  void Cancel();

  // The oldest streams behind number `after`, `most` of them.
  std::vector<StreamInfo> Describe(uint64_t after, size_t most) const;

  // Whether the next round has something to do at once.
  bool busy() const { return !touched_.empty() || !input_.empty(); }
  bool empty() const { return streams_.empty(); }
  const StreamCounters& counters() const { return counters_; }

 private:
  friend class Stream;

  // Whether a stream that holds so many bytes of unread replies may make more. Streams share what there is: one may
  // take half of what is left.
  bool HasRoom(size_t unread) const;
  void CountUnread(ptrdiff_t bytes);

  // Messages that are handled, or wait for it, in part. One may take half of what is left, or all of it alone. False,
  // and nothing is taken, if it would be more; small ones are always taken.
  bool TakeInput(size_t bytes);
  void GiveInput(size_t bytes) { input_bytes_ -= bytes; }

  // What the headers of open streams hold. As for input, one stream may take half of what is left; small ones are
  // always taken.
  bool TakeHeaders(size_t bytes);
  void GiveHeaders(size_t bytes) { header_bytes_ -= bytes; }

  // gRPC tells a client how many streams a connection may have, and keeps to it once the client has said that it knows.
  // One of those that ended may not be known to have ended yet, so it is twice as many here.
  bool MayHaveMore(const std::string& peer) const;
  void ForgetOf(const std::string& peer);

  void BeginWalk(absl::Time now);

  // Of this peer. Null without an acceptor.
  Heard FindHeard(const std::string& peer) const { return heard_of_ ? heard_of_(peer) : nullptr; }

  StreamingService& service_;
  grpc::ServerCompletionQueue& queue_;
  shard::SessionShard& shard_;
  const v1::Limits welcome_;
  const StreamLimits limits_;
  const session::Clock& clock_;
  int& calls_;
  StreamCounters counters_;
  absl::btree_map<uint64_t, Stream*> streams_;         // by number; each deletes itself when its call is over
  absl::flat_hash_map<std::string, size_t> of_peers_;  // how many each has
  uint64_t last_number_ = 0;                           // that was given to a stream
  std::deque<Stream*> input_;                          // have items to handle; null where a stream has gone since
  WaitingStreams waiting_;                             // likewise, once the shard admits them
  std::deque<Stream*> touched_;                        // to visit in Flush; null where a stream has gone since
  size_t unread_bytes_ = 0;                            // of all outboxes
  size_t input_bytes_ = 0;                             // of messages that are not handled to their end
  size_t header_bytes_ = 0;                            // of streams that are open
  LastWords& last_words_;
  const HeardOf heard_of_;
  const identity::Callers* const callers_;
  absl::Time next_walk_ = absl::InfinitePast();
  uint64_t walked_ = 0, walk_to_ = 0;  // numbers of streams: EndStale is at the former
  identity::Callers::Known checked_;   // the callers of this walk
  bool check_all_ = false;             // the walk before had other callers
  bool draining_ = false;
  bool reading_ = true;

  BufferPool buffers_;
  v1::Tokens tokens_;        // scratch, reused with its capacity
  v1::Forecasts forecasts_;  // scratch
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_STREAMS_STREAM_GROUP_H_
