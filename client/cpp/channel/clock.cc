#include "aaren/client/clock.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "absl/time/clock.h"

namespace aaren::client {
namespace {

using Steady = std::chrono::steady_clock;

// A wait ends at most this much late.
constexpr std::chrono::milliseconds kLook(20);

// Goes on from the wall clock's time as the program began, and is never set back.
class RealClock : public Clock {
 public:
  absl::Time Now() override { return begin_ + absl::FromChrono(Steady::now() - steady_begin_); }

  // Abseil waits by the wall clock: a clock set back an hour meanwhile would prolong the wait by an hour. AwaitFor
  // therefore sleeps by the monotonic clock, and looks.
  bool AwaitFor(absl::Mutex& mutex, const absl::Condition& condition, absl::Duration timeout) override
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    const absl::Time end = Now() + timeout;
    for (absl::Time now = Now(); now < end && !condition.Eval(); now = Now()) {
      mutex.Unlock();
      std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(kLook, absl::ToChronoNanoseconds(end - now)));
      mutex.Lock();
    }
    return condition.Eval();
  }

 private:
  const absl::Time begin_ = absl::Now();
  const Steady::time_point steady_begin_ = Steady::now();
};

}  // namespace

Clock& Clock::Real() {
  static RealClock clock;
  return clock;
}

}  // namespace aaren::client
