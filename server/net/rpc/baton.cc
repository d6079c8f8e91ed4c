#include "server/net/rpc/baton.h"

namespace aaren::rpc {

void Baton::Take(size_t hand) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  mutex_.Lock();
  holder_ = hand;
}

void Baton::Give() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex_.Unlock(); }

void Baton::Lend(absl::Duration may_wait, absl::FunctionRef<void()> call) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  const size_t hand = holder_;
  const int64_t until_ns = clock_.NowNanos() + absl::ToInt64Nanoseconds(may_wait);
  lent_until_ns_[hand].store(until_ns, std::memory_order_relaxed);
  mutex_.Unlock();
  call();
  lent_until_ns_[hand].store(0, std::memory_order_relaxed);
  Take(hand);
}

size_t Baton::kept() const {
  const int64_t now_ns = clock_.NowNanos();
  size_t hand = 0;
  for (; hand < kHands; ++hand) {
    const int64_t until_ns = lent_until_ns_[hand].load(std::memory_order_relaxed);
    if (until_ns == 0 || now_ns - until_ns < absl::ToInt64Nanoseconds(kLong)) break;
  }
  return hand;
}

}  // namespace aaren::rpc
