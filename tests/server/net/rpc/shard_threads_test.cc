#include "server/net/rpc/shard_threads.h"

#include <gtest/gtest.h>

#include "server/sessions/session/clock.h"

namespace aaren::rpc {
namespace {

class MayTakeCallsTest : public testing::Test {
 protected:
  bool MayTakeCalls(size_t hand, int ms) { return threads_.MayTakeCalls(hand, absl::FromUnixMillis(ms)); }

  Baton baton_{session::Clock::System()};
  ShardThreads threads_{baton_};
};

TEST_F(MayTakeCallsTest, TheShardsOwnThreadMay) {
  EXPECT_TRUE(MayTakeCalls(0, 1000));
  EXPECT_TRUE(MayTakeCalls(0, 1001));
}

TEST_F(MayTakeCallsTest, AReliefMayAfterATenthOfASecond) {
  EXPECT_FALSE(MayTakeCalls(1, 1000));
  EXPECT_FALSE(MayTakeCalls(1, 1099));
  EXPECT_TRUE(MayTakeCalls(1, 1100));
}

TEST_F(MayTakeCallsTest, EachReliefWaitsAnew) {
  EXPECT_FALSE(MayTakeCalls(1, 1000));
  EXPECT_TRUE(MayTakeCalls(1, 1100));
  EXPECT_FALSE(MayTakeCalls(2, 1101));
  EXPECT_TRUE(MayTakeCalls(2, 1201));
}

TEST_F(MayTakeCallsTest, TheOwnThreadMayAtOnceWhateverReliefWasLast) {
  for (const size_t relief : {1, 2}) {
    EXPECT_FALSE(MayTakeCalls(relief, 1000));
    EXPECT_TRUE(MayTakeCalls(0, 1001));
  }
}

}  // namespace
}  // namespace aaren::rpc
