#include "server/sessions/task/plan_table.h"

#include <gtest/gtest.h>

namespace aaren::task {
namespace {

TEST(PlanTableTest, KeepsEqualPlansOnce) {
  PlanTable plans;
  OutputPlan plan;
  plan.horizons = {1, 2};
  const OutputPlan* first = plans.Acquire(plan);
  EXPECT_EQ(plans.Acquire(plan), first);
  plan.surprise = true;
  EXPECT_NE(plans.Acquire(plan), first);
  EXPECT_EQ(plans.size(), 2);
  plan.refinement = engine::Refinement::kMixed;
  plans.Acquire(plan);
  EXPECT_EQ(plans.size(), 3);
  plan.selection = std::make_shared<engine::Selection>(engine::Selection{{1}, {0.25f}});
  const OutputPlan* selecting = plans.Acquire(plan);
  EXPECT_EQ(plans.size(), 4);
  plan.selection = std::make_shared<engine::Selection>(*plan.selection);
  EXPECT_EQ(plans.Acquire(plan), selecting);
}

TEST(PlanTableTest, ForgetsAPlanWithItsLastUser) {
  PlanTable plans;
  const OutputPlan* plan = plans.Acquire({});
  plans.Acquire({});
  plans.Release(plan);
  EXPECT_EQ(plans.size(), 1);
  plans.Release(plan);
  EXPECT_EQ(plans.size(), 0);
}

TEST(PlanTableTest, CountsWhatEachPlanTakesOnce) {
  memory::MemoryBudget budget(1 << 20);
  PlanTable plans(&budget);
  const auto used = [&budget] { return budget.used(memory::MemoryBudget::Use::kSessions); };
  OutputPlan all;
  all.horizons.resize(64);
  const OutputPlan* first = plans.Acquire(all);
  const size_t one = used();
  EXPECT_GE(one, sizeof(OutputPlan) + 64 * sizeof(uint32_t));
  plans.Acquire(all);
  EXPECT_EQ(used(), one);
  plans.Release(first);
  EXPECT_EQ(used(), one);
  plans.Release(first);
  EXPECT_EQ(used(), 0);
}

}  // namespace
}  // namespace aaren::task
