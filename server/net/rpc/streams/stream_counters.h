#ifndef AAREN_SERVER_NET_RPC_STREAMS_STREAM_COUNTERS_H_
#define AAREN_SERVER_NET_RPC_STREAMS_STREAM_COUNTERS_H_

// StreamCounters count all streams that one shard has had. Threading: written by the shard's thread, read by any
// thread.

#include "server/operate/counters/counter.h"

namespace aaren::rpc {

struct StreamCounters {
  counters::Counter opened, closed, timed_out, messages_received, messages_sent, bytes_received, bytes_sent;
  counters::Counter refused;       // there were too many streams
  counters::Counter strangers;     // the caller was unknown, or may have no stream
  counters::Counter unread_bytes;  // a level: replies that clients have not read
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_STREAM_COUNTERS_H_
