#include "server/sessions/models/open_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/engine/network/amx.h"
#include "tests/model/engine/events/random_events.h"
#include "tests/model/engine/random_package.h"

namespace aaren::models {
namespace {

using ::testing::HasSubstr;

absl::Status ErrorOf(const std::string& name) {
  const absl::Status status = OpenEngine(name, engine::RandomPackage(engine::TinyConfig(), 1)).status();
  EXPECT_EQ(CheckEngine(name), status);
  return status;
}

TEST(OpenEngineTest, MakesTheEngineOfTheCpu) {
  const auto engine = OpenEngine("cpu", engine::RandomPackage(engine::TinyConfig(), 1));
  ASSERT_TRUE(engine.ok()) << engine.status();
  EXPECT_EQ((*engine)->tier(), "exact");
}

TEST(OpenEngineTest, AutoMakesAnEngineWhateverTheMachineHas) {
  const auto engine = OpenEngine("auto", engine::RandomPackage(engine::TinyConfig(), 1));
  ASSERT_TRUE(engine.ok()) << engine.status();
  EXPECT_EQ((*engine)->tier(), "exact");
}

TEST(OpenEnginesTest, NewSessionsAreExactUnlessAskedOtherwise) {
  const auto engines = OpenEngines("cpu", engine::Tier::kExact, engine::RandomPackage(engine::TinyConfig(), 1));
  ASSERT_TRUE(engines.ok()) << engines.status();
  EXPECT_EQ(engines->offered->tier(), "exact");
  EXPECT_EQ(engines->others[0]->tier(), "fast");
}

TEST(OpenEnginesTest, SessionsMayHaveExtendedRows) {
  const auto engines = OpenEngines("cpu", engine::Tier::kExact, engine::RandomPackage(engine::TinyConfig(), 1));
  ASSERT_EQ(engines->others.size(), 2);
  EXPECT_EQ(engines->others[1]->tier(), "extended");
  EXPECT_GT(engines->others[1]->row_bytes(), engines->offered->row_bytes());
}

TEST(OpenEnginesTest, NewSessionsAreFastWhereThatIsFaster) {
  if (!engine::MayUseAmx()) GTEST_SKIP() << "this CPU has no AMX";
  const auto engines = OpenEngines("cpu", engine::Tier::kFast, engine::RandomPackage(engine::TinyConfig(), 1));
  ASSERT_TRUE(engines.ok()) << engines.status();
  EXPECT_EQ(engines->offered->tier(), "fast");
  EXPECT_EQ(engines->others[0]->tier(), "exact");
}

TEST(OpenEnginesTest, NewSessionsStayExactWhereFastWouldBeSlower) {
  const engine::ForbidAmx forbidden;
  const auto engines = OpenEngines("cpu", engine::Tier::kFast, engine::RandomPackage(engine::TinyConfig(), 1));
  ASSERT_TRUE(engines.ok()) << engines.status();
  EXPECT_EQ(engines->offered->tier(), "exact");
  EXPECT_EQ(engines->others[0]->tier(), "fast");
}

TEST(OpenEnginesTest, AModelOfEventsHasTheExactTierOnly) {
  const auto engines = OpenEngines("auto", engine::Tier::kFast, events::RandomEventPackage(1));
  ASSERT_TRUE(engines.ok()) << engines.status();
  EXPECT_EQ(engines->offered->tier(), "exact");
  EXPECT_TRUE(engines->others.empty());
}

TEST(OpenEngineTest, RefusesAnUnknownNameAndTellsThoseThereAre) {
  const absl::Status status = ErrorOf("tpu");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("no engine 'tpu'; there are cpu and cuda"));
}

TEST(OpenEngineTest, TellsWhatIsMissingForAGpu) {
  if (CheckEngine("cuda").ok()) GTEST_SKIP() << "there is a GPU";
  const absl::Status status = ErrorOf("cuda");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("GPU"));
}

}  // namespace
}  // namespace aaren::models
