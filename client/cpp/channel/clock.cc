#include "aaren/client/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace aaren::client {
namespace {

using Steady = std::chrono::steady_clock;

// Goes on from the wall clock's time as the program began, and is never set back.
class RealClock : public Clock {
 public:
  absl::Time Now() override { return begin_ + absl::FromChrono(Steady::now() - steady_begin_); }

  bool AwaitFor(absl::Mutex& mutex, const absl::Condition& condition, absl::Duration timeout) override
      ABSL_SHARED_LOCKS_REQUIRED(mutex) {
    return mutex.AwaitWithTimeout(condition, timeout);
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
