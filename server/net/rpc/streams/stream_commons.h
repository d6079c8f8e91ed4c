#ifndef AAREN_SERVER_NET_RPC_STREAMS_STREAM_COMMONS_H_
#define AAREN_SERVER_NET_RPC_STREAMS_STREAM_COMMONS_H_

// StreamCommons are shared by the streams of one shard: their host, room for messages and replies, scratch memory, and
// the lines of streams with something to do. Threading: the shard's thread only, except the counters.

#include <utility>

#include "aaren/v1/stream.grpc.pb.h"
#include "grpcpp/completion_queue.h"
#include "server/identity/callers.h"
#include "server/net/rpc/limits/last_words.h"
#include "server/net/rpc/limits/stream_limits.h"
#include "server/net/rpc/streams/outbox.h"
#include "server/net/rpc/streams/shared_bytes.h"
#include "server/net/rpc/streams/stream_counters.h"
#include "server/net/rpc/streams/stream_line.h"
#include "server/net/rpc/streams/stream_table.h"
#include "server/net/rpc/streams/waiting_streams.h"
#include "server/sessions/session/clock.h"
#include "server/sessions/shard/shard.h"

namespace aaren::rpc {

// Streaming as bytes: server/net/rpc/messages/envelope.h says why.
using StreamingService = v1::Streaming::WithRawMethod_Stream<v1::Streaming::Service>;

// The call's side and the shard's side of all streams of a shard. References outlive the streams.
struct StreamHost {
  StreamingService& service;
  grpc::ServerCompletionQueue& queue;
  shard::SessionShard& shard;
  v1::Limits welcome;  // told in Welcome
  StreamLimits limits;
  const session::Clock& clock;
  int& calls;                                  // alive on the queue
  LastWords& last_words;                       // for ended streams
  const identity::Callers* callers = nullptr;  // null: everybody may do everything
};

struct StreamCommons {
  explicit StreamCommons(StreamHost h)
      : host(std::move(h)),
        headers(host.limits.input_bytes),
        input(host.limits.input_bytes),
        unread(host.limits.unread_bytes, &counters.unread_bytes) {}

  // How the server leaves, step by step.
  enum class Phase {
    kServing,
    kDraining,  // new streams are refused
    kAnswering  // no stream takes another item
  };

  const StreamHost host;
  Phase phase = Phase::kServing;
  StreamCounters counters;
  StreamTable table;
  SharedBytes headers;     // open streams' headers
  SharedBytes input;       // messages that are not handled to their end
  SharedBytes unread;      // replies that clients have not read
  StreamLine with_items;   // to handle
  StreamLine to_flush;     // at the end of the round
  WaitingStreams waiting;  // for the shard to admit an item
  BufferPool buffers;
  v1::Tokens tokens;        // scratch, reused with its capacity
  v1::Forecasts forecasts;  // scratch
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_STREAM_COMMONS_H_
