#include "server/identity/accounts/account.h"

namespace aaren::identity {

void Account::SetLimits(const TenantLimits& limits, int64_t now_ns) {
  absl::MutexLock lock(&mutex_);
  limits_ = limits;
  weight_.store(static_cast<int64_t>(limits.weight), std::memory_order_relaxed);
  sessions.SetLimit(limits.sessions);
  streams.SetLimit(limits.streams);
  tokens.Set(limits.tokens_per_second, now_ns);
  unary_calls.Set(limits.unary_per_second, now_ns);
  stored_bytes.SetLimit(limits.stored_bytes);
}

TenantLimits Account::limits() const {
  absl::MutexLock lock(&mutex_);
  return limits_;
}

counters::Counter& Account::AddCounter() {
  absl::MutexLock lock(&mutex_);
  // A deque leaves its elements in place: the shards keep references.
  return answered_.emplace_back();
}

uint64_t Account::tokens_answered() const {
  absl::MutexLock lock(&mutex_);
  uint64_t sum = 0;
  for (const counters::Counter& counter : answered_) sum += counter.value();
  return sum;
}

}  // namespace aaren::identity
