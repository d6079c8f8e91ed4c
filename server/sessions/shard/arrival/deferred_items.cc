#include "server/sessions/shard/arrival/deferred_items.h"

namespace aaren::shard {

void DeferredItems::Defer(Arrival& arrival, const session::TokensView& tokens, uint32_t channels) {
  DeferredTokens& deferred = arrival.tokens.emplace_back();
  deferred.view = tokens;
  deferred.numbers = task::OwnedNumbers(tokens);
  deferred.tokens = tokens.count(channels);
  if (tokens.trace != 0) deferred.trace = trace::Held(*queue_.tracer(), tokens.trace);
  tokens_ += deferred.tokens;
  queue_.room().Defer(*arrival.stream, deferred.bytes());
}

void DeferredItems::Uncount(Arrival& arrival, const DeferredTokens& deferred) {
  queue_.room().Undefer(*arrival.stream, deferred.bytes());
  tokens_ -= deferred.tokens;
}

void DeferredItems::Replay(Arrival& arrival, absl::FunctionRef<void(const session::TokensView&)> accept) {
  for (DeferredTokens& deferred : arrival.tokens) {
    static_cast<task::TokenNumbers&>(deferred.view) = deferred.numbers.view();
    Uncount(arrival, deferred);
    accept(deferred.view);
  }
}

uint64_t DeferredItems::Forget(Arrival& arrival) {
  uint64_t tokens = 0;
  for (const DeferredTokens& deferred : arrival.tokens) {
    Uncount(arrival, deferred);
    tokens += deferred.tokens;
  }
  arrival.tokens.clear();
  return tokens;
}

}  // namespace aaren::shard
