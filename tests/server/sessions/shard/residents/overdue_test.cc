#include "server/sessions/shard/residents/overdue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace aaren::shard {
namespace {

using testing::ElementsAre;

class OverdueTest : public testing::Test {
 protected:
  void Expect(uint64_t epoch, int64_t due_ms) { overdue_.Expect(epoch, due_ms, {.reply = {.next_seq = epoch}}); }

  std::vector<uint64_t> ToldAt(int64_t now_ms, bool takes = true) {
    std::vector<uint64_t> told;
    overdue_.Tell(now_ms, [&](const MissingEvent& missing) {
      told.push_back(missing.reply.next_seq);
      return takes;
    });
    return told;
  }

  memory::MemoryBudget budget_{1 << 20};
  Overdue overdue_{&budget_};
};

TEST_F(OverdueTest, TellsWhatIsDueInOrderAndOnce) {
  Expect(1, 30);
  Expect(2, 10);
  Expect(3, 20);
  EXPECT_THAT(ToldAt(9), ElementsAre());
  EXPECT_THAT(ToldAt(20), ElementsAre(2, 3));
  EXPECT_THAT(ToldAt(30), ElementsAre(1));
  EXPECT_THAT(ToldAt(1000), ElementsAre());
}

TEST_F(OverdueTest, ALaterDeadlineTakesThePlaceOfAnEarlier) {
  Expect(1, 10);
  Expect(1, 50);
  EXPECT_THAT(ToldAt(49), ElementsAre());
  EXPECT_THAT(ToldAt(50), ElementsAre(1));
}

TEST_F(OverdueTest, AForgottenDeadlineIsNotTold) {
  Expect(1, 10);
  overdue_.Forget(1);
  overdue_.Forget(2);
  EXPECT_THAT(ToldAt(10), ElementsAre());
}

TEST_F(OverdueTest, WhatCouldNotBeToldIsPostponed) {
  Expect(1, 10);
  EXPECT_THAT(ToldAt(10, /*takes=*/false), ElementsAre(1));
  EXPECT_THAT(ToldAt(10), ElementsAre());
  EXPECT_THAT(ToldAt(10 + Overdue::kPostponeMs), ElementsAre(1));
}

TEST_F(OverdueTest, EachDeadlineIsCounted) {
  Expect(1, 10);
  Expect(1, 20);
  Expect(2, 10);
  EXPECT_EQ(budget_.used(memory::MemoryBudget::Use::kSessions), 2 * Overdue::kBytes);
  ToldAt(10);
  overdue_.Forget(1);
  EXPECT_EQ(budget_.used(memory::MemoryBudget::Use::kSessions), 0u);
  EXPECT_EQ(overdue_.size(), 0u);
}

}  // namespace
}  // namespace aaren::shard
