#include "client/cpp/clock.h"

#include "absl/time/clock.h"

namespace aaren::client {
namespace {

class RealClock : public Clock {
 public:
  absl::Time Now() override { return absl::Now(); }

  bool AwaitFor(absl::Mutex& mutex, const absl::Condition& condition, absl::Duration timeout) override
      ABSL_SHARED_LOCKS_REQUIRED(mutex) {
    return mutex.AwaitWithTimeout(condition, timeout);
  }
};

}  // namespace

Clock& Clock::Real() {
  static RealClock clock;
  return clock;
}

}  // namespace aaren::client
