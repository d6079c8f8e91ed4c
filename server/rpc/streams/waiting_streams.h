#ifndef AAREN_SERVER_RPC_STREAMS_WAITING_STREAMS_H_
#define AAREN_SERVER_RPC_STREAMS_WAITING_STREAMS_H_

// The streams of a shard whose next item was not admitted, by tenant. Each tenant in turn has one of its streams tried
// again, so one with a thousand of them keeps nobody waiting. A tenant that has used up its tokens of this second has
// no turn. Threading: belongs to one shard.

#include <cstdint>
#include <deque>

#include "absl/container/flat_hash_map.h"
#include "server/identity/accounts/account.h"

namespace aaren::rpc {

class Stream;

class WaitingStreams {
 public:
  // REQUIRES: it is not here. `account` is its tenant's, or null.
  void Add(Stream& stream, const identity::Account* account);

  // It ends. REQUIRES: it is here.
  void Forget(const Stream& stream, const identity::Account* account);

  // The one that is next, which is here no more; null: there is none, or none may be.
  Stream* Take(int64_t now_ns);

  bool empty() const { return turns_.empty(); }

 private:
  absl::flat_hash_map<const identity::Account*, std::deque<Stream*>> streams_;  // null where one has gone since
  std::deque<const identity::Account*> turns_;                                  // of those above
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_STREAMS_WAITING_STREAMS_H_
