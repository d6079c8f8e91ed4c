#include "server/machine/memory/memory_budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace aaren::memory {
namespace {

using Use = MemoryBudget::Use;

TEST(MemoryBudgetTest, GivesOutNoMoreThanThereIs) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.TryTake(Use::kSessions, 60));
  EXPECT_FALSE(budget.TryTake(Use::kSaves, 41));
  EXPECT_TRUE(budget.TryTake(Use::kSaves, 40));
  EXPECT_EQ(budget.used(Use::kSessions), 60);
  EXPECT_EQ(budget.used(Use::kSaves), 40);
}

TEST(MemoryBudgetTest, TakesBackWhatIsGiven) {
  MemoryBudget budget(100);
  budget.TryTake(Use::kSessions, 100);
  budget.Give(Use::kSessions, 30);
  EXPECT_FALSE(budget.TryTake(Use::kSessions, 31));
  EXPECT_TRUE(budget.TryTake(Use::kSessions, 30));
}

TEST(MemoryBudgetTest, RefusesMoreThanANumberCanHold) {
  MemoryBudget budget(100);
  budget.TryTake(Use::kSessions, 1);
  EXPECT_FALSE(budget.TryTake(Use::kSessions, SIZE_MAX));
}

TEST(MemoryBudgetTest, IsNeverExceededByThreads) {
  MemoryBudget budget(1000);
  std::atomic<size_t> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) taken += budget.TryTake(Use::kSaves, 3) ? 3 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, 999);
  EXPECT_EQ(budget.used(Use::kSaves), 999);
}

}  // namespace
}  // namespace aaren::memory
