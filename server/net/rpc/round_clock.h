#ifndef AAREN_SERVER_NET_RPC_ROUND_CLOCK_H_
#define AAREN_SERVER_NET_RPC_ROUND_CLOCK_H_

// A RoundClock measures the rounds of a shard, and says when a round has work that is due by time.
//
// Threading: busy_ns and round by any thread, all else by the thread that runs the shard.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "server/sessions/session/clock.h"

namespace aaren::rpc {

class RoundClock {
 public:
  explicit RoundClock(const session::Clock& clock) : clock_(clock) {}

  void Begin() { Store(began_ns_, clock_.NowNanos()); }

  // The round is over; only rounds with work count as busy.
  void End(bool worked) {
    if (worked) Store(busy_ns_, busy_ns() + clock_.NowNanos() - began_ns_.load(std::memory_order_relaxed));
  }

  // A sleep begins: gRPC may read on and on during the sleep, too, and the time beyond `sleep` counts as a round.
  void BeginSleep(absl::Duration sleep) { Store(began_ns_, clock_.NowNanos() + absl::ToInt64Nanoseconds(sleep)); }

  // No round will come.
  void Stop() { Store(began_ns_, 0); }

  // The sum of the times of rounds that had work.
  int64_t busy_ns() const { return busy_ns_.load(std::memory_order_relaxed); }

  // How long the round under way has taken; zero while none is.
  absl::Duration round() const {
    const int64_t began = began_ns_.load(std::memory_order_relaxed);
    return began == 0 ? absl::ZeroDuration() : absl::Nanoseconds(std::max<int64_t>(0, clock_.NowNanos() - began));
  }

  // True every few milliseconds, and every second: due work costs time to look for.
  bool TickIsDue(absl::Time now) { return IsDue(next_tick_, absl::Milliseconds(5), now); }
  bool SecondIsOver(absl::Time now) { return IsDue(next_second_, absl::Seconds(1), now); }

 private:
  static void Store(std::atomic<int64_t>& number, int64_t value) { number.store(value, std::memory_order_relaxed); }
  static bool IsDue(absl::Time& next, absl::Duration between, absl::Time now) {
    if (now < next) return false;
    next = now + between;
    return true;
  }

  const session::Clock& clock_;
  std::atomic<int64_t> began_ns_{0};  // by clock_, or when a sleep should end; 0: not running
  std::atomic<int64_t> busy_ns_{0};
  absl::Time next_tick_ = absl::InfinitePast();
  absl::Time next_second_ = absl::InfinitePast();
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_ROUND_CLOCK_H_
