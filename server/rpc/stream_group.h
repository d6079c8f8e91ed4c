#ifndef AAREN_SERVER_RPC_STREAM_GROUP_H_
#define AAREN_SERVER_RPC_STREAM_GROUP_H_

// A StreamGroup is the streams of one shard and what they share: the service and queue they come from, the shard they
// feed, scratch memory, and the list of those with something to do at the end of a round. A round of the shard's loop
// handles events, steps, and then calls Flush once, so that everything a stream is owed leaves in one write.
//
// Threading: the shard's thread only, except counters().

#include <cstdint>
#include <vector>

#include "aaren/v1/stream.grpc.pb.h"
#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "grpcpp/server_builder.h"
#include "grpcpp/support/status.h"
#include "server/rpc/outbox.h"
#include "server/session/shard.h"

namespace aaren::rpc {

class Stream;

// Streaming as bytes: server/rpc/envelope.h says why.
using StreamingService = v1::Streaming::WithRawMethod_Stream<v1::Streaming::Service>;

// Of all streams that a group has had.
struct StreamCounters {
  Counter opened, closed, messages_received, messages_sent, bytes_received, bytes_sent;
};

// UNAVAILABLE, with the advice to come back in a second.
grpc::Status GoneStatus();

class StreamGroup {
 public:
  // `options` are the shard's; `limits` is what Welcome tells. The other arguments outlive this; `calls` counts the
  // calls alive on `queue`.
  StreamGroup(StreamingService& service, grpc::ServerCompletionQueue& queue, SessionShard& shard,
              const ShardOptions& options, v1::Limits limits, int& calls);

  // Waits for the next stream; each stream that comes does so again.
  void Accept();

  // Writes what is owed, goes on with messages that had to wait, and ends the streams that are done. REQUIRES: called
  // once a round, after the shard's Step.
  void Flush();

  // Tells every stream that the server leaves, and refuses new ones.
  void Drain(absl::Duration deadline);

  // No stream takes another item; the rest of what clients sent is dropped.
  void StopReading() { reading_ = false; }

  // Ends every stream with UNAVAILABLE once its replies are written. REQUIRES: StopReading().
  void Close();

  // Gives up on clients that do not read their replies.
  void Cancel();

  bool touched() const { return !touched_.empty(); }  // Flush has something to do
  bool empty() const { return streams_.empty(); }
  const StreamCounters& counters() const { return counters_; }

 private:
  friend class Stream;

  // The round in which all tokens that wait now have been stepped; the present one if none wait.
  uint64_t RoundOfLastToken() const;

  StreamingService& service_;
  grpc::ServerCompletionQueue& queue_;
  SessionShard& shard_;
  const size_t max_step_tokens_;
  const v1::Limits limits_;
  int& calls_;
  StreamCounters counters_;
  absl::flat_hash_set<Stream*> streams_;  // each deletes itself when its call is over
  std::vector<Stream*> touched_;          // to visit in Flush; null where a stream has gone since
  std::vector<Stream*> flushing_;         // those that a Flush under way visits; none is deleted meanwhile
  std::vector<Stream*> waiting_;          // for the shard to take tokens again; null where a stream has gone since
  uint64_t rounds_ = 0;                   // calls of Flush
  bool draining_ = false;
  bool reading_ = true;

  BufferPool buffers_;
  v1::Tokens tokens_;        // scratch, reused with its capacity
  v1::Forecasts forecasts_;  // scratch
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_STREAM_GROUP_H_
