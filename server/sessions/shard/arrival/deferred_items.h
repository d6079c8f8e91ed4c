#ifndef AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_DEFERRED_ITEMS_H_
#define AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_DEFERRED_ITEMS_H_

// DeferredItems counts the tokens of all Arrivals of a shard. The tokens are copied out of the messages, and count as
// waiting tokens until Replay, once the session is here, or Forget. Threading: belongs to one shard.

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "server/sessions/queue/token_queue.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/shard/arrival/arrival.h"

namespace aaren::shard {

class DeferredItems {
 public:
  // The tokens share the room of `queue`. `queue` outlives the DeferredItems.
  explicit DeferredItems(queue::TokenQueue& queue) : queue_(queue) {}

  // REQUIRES, for all three functions: the arrival has a stream.
  void Defer(Arrival& arrival, const session::TokensView& tokens, uint32_t channels);
  void Replay(Arrival& arrival, absl::FunctionRef<void(const session::TokensView&)> accept);
  uint64_t Forget(Arrival& arrival);  // returns the number of tokens

  uint64_t tokens() const { return tokens_; }

 private:
  void Uncount(Arrival& arrival, const DeferredTokens& deferred);

  queue::TokenQueue& queue_;
  uint64_t tokens_ = 0;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_DEFERRED_ITEMS_H_
