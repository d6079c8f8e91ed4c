#include "server/net/rpc/next_calls.h"

#include <gtest/gtest.h>

#include <deque>

namespace aaren::rpc {
namespace {

TEST(NextCallsTest, EachIsWaitedForAtOnce) {
  int accepted = 0;
  NextCalls().Wait([&] { ++accepted; });
  EXPECT_EQ(accepted, 1);
}

TEST(NextCallsTest, BetweenPauseAndResumeNoneIsWaitedFor) {
  int accepted = 0;
  NextCalls calls;
  calls.Pause();
  calls.Wait([&] { ++accepted; });
  EXPECT_EQ(accepted, 0);
  calls.Resume();
  EXPECT_EQ(accepted, 1);
}

TEST(NextCallsTest, BeyondTwoThousandEndedCallsNoneIsWaitedFor) {
  int accepted = 0;
  NextCalls calls;
  std::deque<NextCalls::Ended> ended(2048);
  for (NextCalls::Ended& call : ended) call.Begin(calls);
  for (int i = 0; i < 2; ++i) calls.Wait([&] { ++accepted; });
  EXPECT_EQ(accepted, 0);
  ended.pop_front();
  EXPECT_EQ(accepted, 2);
}

}  // namespace
}  // namespace aaren::rpc
