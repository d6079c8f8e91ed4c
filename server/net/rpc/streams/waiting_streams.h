#ifndef AAREN_SERVER_NET_RPC_STREAMS_WAITING_STREAMS_H_
#define AAREN_SERVER_NET_RPC_STREAMS_WAITING_STREAMS_H_

// WaitingStreams are the streams of a shard whose next item was not admitted, by tenant. Tenants take turns, and a
// tenant's turn offers one stream's item again: a tenant with a thousand streams keeps nobody waiting. A tenant without
// tokens left in this second is passed by. Threading: belongs to one shard.

#include <cstdint>
#include <deque>

#include "absl/container/node_hash_map.h"
#include "server/identity/accounts/account.h"
#include "server/net/rpc/streams/stream_line.h"

namespace aaren::rpc {

class WaitingStreams {
 public:
  // Adds the stream, unless the stream waits already. `account` is the tenant's, or null; always the same for a place.
  void Add(StreamLine::Place& place, const identity::Account* account);

  // Takes out the stream with the next turn. Null: no stream may have a turn now.
  Stream* Take(int64_t now_ns);

  bool empty() const { return turns_.empty(); }

 private:
  absl::node_hash_map<const identity::Account*, StreamLine> lines_;  // no places but in turns_
  std::deque<const identity::Account*> turns_;                       // each account in lines_
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_WAITING_STREAMS_H_
