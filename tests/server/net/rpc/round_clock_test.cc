#include "server/net/rpc/round_clock.h"

#include <gtest/gtest.h>

#include "tests/server/sessions/shard/world/world.h"

namespace aaren::rpc {
namespace {

class RoundClockTest : public testing::Test {
 protected:
  shard::TestClock clock_;
  RoundClock rounds_{clock_};
};

TEST_F(RoundClockTest, OnlyRoundsWithWorkAreBusy) {
  for (const bool worked : {true, false, true}) {
    rounds_.Begin();
    clock_.Advance(absl::Milliseconds(3));
    rounds_.End(worked);
  }
  EXPECT_EQ(rounds_.busy_ns(), 6'000'000);
}

TEST_F(RoundClockTest, TellsHowLongTheRoundUnderWayHasTaken) {
  EXPECT_EQ(rounds_.round(), absl::ZeroDuration());
  rounds_.Begin();
  clock_.Advance(absl::Milliseconds(3));
  EXPECT_EQ(rounds_.round(), absl::Milliseconds(3));
  rounds_.Stop();
  EXPECT_EQ(rounds_.round(), absl::ZeroDuration());
}

TEST_F(RoundClockTest, ASleepThatIsNotOverInTimeCountsAsARound) {
  rounds_.BeginSleep(absl::Milliseconds(20));
  clock_.Advance(absl::Milliseconds(20));
  EXPECT_EQ(rounds_.round(), absl::ZeroDuration());
  clock_.Advance(absl::Milliseconds(5));
  EXPECT_EQ(rounds_.round(), absl::Milliseconds(5));
}

TEST_F(RoundClockTest, WorkIsDueEveryFiveMilliseconds) {
  EXPECT_TRUE(rounds_.TickIsDue(clock_.Now()));
  clock_.Advance(absl::Milliseconds(4));
  EXPECT_FALSE(rounds_.TickIsDue(clock_.Now()));
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_TRUE(rounds_.TickIsDue(clock_.Now()));
}

}  // namespace
}  // namespace aaren::rpc
