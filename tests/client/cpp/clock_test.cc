#include "aaren/client/clock.h"

#include <gtest/gtest.h>

#include "tests/wall_clock/wall_clock.h"

namespace aaren::client {
namespace {

TEST(ClockTest, AWallClockThatIsSetBackMakesNoWaitLonger) {
  absl::Mutex mutex;
  const bool never = false;
  wall_clock::SetAhead(3600);
  absl::MutexLock lock(&mutex);
  EXPECT_FALSE(Clock::Real().AwaitFor(mutex, absl::Condition(&never), absl::Milliseconds(1)));
  wall_clock::SetAhead(0);
}

}  // namespace
}  // namespace aaren::client
