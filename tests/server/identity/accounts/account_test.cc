#include "server/identity/accounts/account.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace aaren::identity {
namespace {

TEST(TallyTest, SeveralThreadsTogetherStayWithinTheLimit) {
  Tally tally;
  tally.SetLimit(1000);
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 500; ++n) taken += tally.TryTake() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, 1000);
  EXPECT_EQ(tally.value(), 1000u);
}

TEST(TallyTest, WhoLeavesMakesRoom) {
  Tally tally;
  tally.SetLimit(1);
  EXPECT_TRUE(tally.TryTake());
  EXPECT_FALSE(tally.TryTake());
  tally.Give();
  EXPECT_TRUE(tally.TryTake());
}

TEST(TallyTest, ALowerLimitThrowsNobodyOut) {
  Tally tally;
  for (int i = 0; i < 5; ++i) tally.TryTake();
  tally.SetLimit(2);
  EXPECT_EQ(tally.value(), 5u);
  EXPECT_FALSE(tally.TryTake());
}

TEST(AccountTest, SumsWhatItsThreadsCount) {
  Account account("acme");
  counters::Counter& a = account.AddCounter();
  counters::Counter& b = account.AddCounter();
  a.Add(3);
  b.Add(4);
  EXPECT_EQ(account.tokens_answered(), 7u);
}

}  // namespace
}  // namespace aaren::identity
