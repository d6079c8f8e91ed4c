#include "server/sessions/session/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace aaren::session {
namespace {

int64_t SteadyNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class SystemClock final : public Clock {
 public:
  int64_t NowNanos() const override { return SteadyNanos() + offset_; }
  absl::Time Wall() const override { return absl::Now(); }

 private:
  const int64_t offset_ = absl::ToUnixNanos(absl::Now()) - SteadyNanos();
};

}  // namespace

const Clock& Clock::System() {
  static const SystemClock& clock = *new SystemClock;  // outlives all threads
  return clock;
}

}  // namespace aaren::session
