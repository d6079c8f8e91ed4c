#ifndef AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_TEST_CLOCK_H_
#define AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_TEST_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "server/sessions/session/clock.h"

namespace aaren::shard {

// Only a test moves a TestClock. Any thread may read the clock.
class TestClock : public session::Clock {
 public:
  int64_t NowNanos() const override { return now_ns_; }
  absl::Time Wall() const override { return Now() + wall_step_; }
  void Advance(absl::Duration by) { now_ns_ += absl::ToInt64Nanoseconds(by); }
  void StepWall(absl::Duration by) { wall_step_ += by; }

 private:
  std::atomic<int64_t> now_ns_{1'700'000'000'000'000'000};
  absl::Duration wall_step_ = absl::ZeroDuration();
};

}  // namespace aaren::shard

#endif  // AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_TEST_CLOCK_H_
