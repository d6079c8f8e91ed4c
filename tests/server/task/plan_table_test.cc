#include "server/task/plan_table.h"

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

}  // namespace
}  // namespace aaren::task
