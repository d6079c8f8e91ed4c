#include "server/session/output_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaren::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

package::ForecasterConfig Config() {
  package::ForecasterConfig config;
  config.horizon = 4;
  config.quantiles = {0.1f, 0.5f, 0.9f};
  return config;
}

TEST(ResolveOutputTest, TurnsHorizonsAndLevelsIntoPlaces) {
  OutputRequest request;
  request.horizons = {1, 4};
  request.quantiles = {0.5f, 0.9f};
  request.every = 3;
  request.surprise = true;
  request.refinement = engine::Refinement::kMixed;
  const Outcome<OutputPlan> plan = ResolveOutput(request, Config());
  ASSERT_FALSE(plan.refusal.has_value());
  EXPECT_THAT(plan.value.horizons, ElementsAre(0, 3));
  EXPECT_THAT(plan.value.quantiles, ElementsAre(1, 2));
  EXPECT_EQ(plan.value.every, 3);
  EXPECT_TRUE(plan.value.surprise);
  EXPECT_EQ(plan.value.refinement, engine::Refinement::kMixed);
}

TEST(ResolveOutputTest, CalibratesUnlessAskedNotTo) {
  EXPECT_EQ(ResolveOutput(OutputRequest(), Config()).value.refinement, engine::Refinement::kRestricted);
}

TEST(ResolveOutputTest, TakesEveryOfZeroForOne) {
  OutputRequest request;
  request.every = 0;
  EXPECT_EQ(ResolveOutput(request, Config()).value.every, 1);
}

TEST(ResolveOutputTest, RefusesAHorizonBeyondTheModels) {
  OutputRequest request;
  for (const uint32_t horizon : {0u, 5u}) {
    request.horizons = {horizon};
    const Outcome<OutputPlan> plan = ResolveOutput(request, Config());
    ASSERT_TRUE(plan.refusal.has_value());
    EXPECT_EQ(plan.refusal->field, "open.output.horizons[0]");
    EXPECT_THAT(std::string(plan.refusal->status.message()), HasSubstr("1 .. 4"));
  }
}

TEST(ResolveOutputTest, RefusesWhatDoesNotAscend) {
  OutputRequest request;
  request.horizons = {2, 2};
  EXPECT_EQ(ResolveOutput(request, Config()).refusal->field, "open.output.horizons[1]");
  request.horizons = {};
  request.quantiles = {0.5f, 0.1f};
  EXPECT_EQ(ResolveOutput(request, Config()).refusal->field, "open.output.quantiles[1]");
}

TEST(ResolveOutputTest, RefusesALevelTheModelDoesNotHave) {
  OutputRequest request;
  request.quantiles = {0.25f};
  const Outcome<OutputPlan> plan = ResolveOutput(request, Config());
  EXPECT_EQ(plan.refusal->field, "open.output.quantiles[0]");
  EXPECT_THAT(std::string(plan.refusal->status.message()), HasSubstr("0.25"));
}

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
}  // namespace aaren::session
