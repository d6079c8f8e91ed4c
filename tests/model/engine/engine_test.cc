#include "model/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

class EngineTest : public testing::Test {
 protected:
  // The status of a batch of runs with one token each.
  absl::Status Step(const std::vector<Slot>& slots) {
    std::vector<engine::Run> runs;
    for (Slot slot : slots)
      runs.push_back({.slot = slot, .values = value_, .forecast = flag_, .forecasts = forecast_.data()});
    const absl::StatusOr<Ticket> ticket = stepper_.lane().Submit(runs);
    return ticket.ok() ? stepper_.lane().Wait(*ticket) : ticket.status();
  }

  Stepper stepper_{RandomPackage(TinyConfig(), 1)};
  std::vector<float> value_ = {1.0f};
  std::vector<uint8_t> flag_ = {1};
  std::vector<float> forecast_ = std::vector<float>(18);
};

void ExpectInvalid(const absl::Status& status, const std::string& message) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(message));
}

TEST_F(EngineTest, RowBytesAreAMultipleOf64) { EXPECT_EQ(stepper_.engine()->row_bytes() % 64, 0u); }

TEST_F(EngineTest, StaleSlotIsRefusedAndNoRowChanges) {
  const Slot good = stepper_.Open();
  const Slot stale = stepper_.Open();
  stepper_.lane().Free({&stale, 1});
  const std::vector<std::byte> before = stepper_.RowBytes(good);
  ExpectInvalid(Step({good, stale}), "run 1: slot 1 of generation 1 is stale");
  EXPECT_EQ(stepper_.RowBytes(good), before);
}

TEST_F(EngineTest, RepeatedSlotIsRefusedAndNoRowChanges) {
  const Slot a = stepper_.Open();
  const Slot b = stepper_.Open();
  const std::vector<std::byte> before = stepper_.RowBytes(a);
  ExpectInvalid(Step({a, b, a}), "run 2: slot 0 is in an earlier run too");
  EXPECT_EQ(stepper_.RowBytes(a), before);
  EXPECT_TRUE(Step({a, b}).ok());
}

TEST_F(EngineTest, EmptyRunIsRefused) {
  const Slot slot = stepper_.Open();
  value_.clear();
  flag_.clear();
  ExpectInvalid(Step({slot}), "run 0: has no tokens");
}

TEST_F(EngineTest, FlagsThatDoNotMatchTheValuesAreRefused) {
  const Slot slot = stepper_.Open();
  flag_ = {1, 0};
  ExpectInvalid(Step({slot}), "has 1 values, but 2 forecast flags");
}

TEST_F(EngineTest, ForecastsOnlyWhereWanted) {
  const Slot slot = stepper_.Open();
  const Slot all = stepper_.Open();
  const std::vector<float> values = {1, 2, 3, 5, 8};
  const Outputs some = stepper_.Step({{.slot = slot, .values = values, .forecast = {0, 1, 0, 0, 7}}})[0];
  const Outputs every = stepper_.Feed(all, values);
  ASSERT_EQ(some.forecasts.size(), 2 * 15u);
  EXPECT_TRUE(std::equal(some.forecasts.begin(), some.forecasts.begin() + 15, every.forecasts.begin() + 15));
  EXPECT_TRUE(std::equal(some.forecasts.begin() + 15, some.forecasts.end(), every.forecasts.begin() + 60));
}

TEST_F(EngineTest, SurpriseIsMissingWithoutAForecastBefore) {
  const Outputs outputs =
      stepper_.Step({{.slot = stepper_.Open(), .values = {1, 2, 3, NAN, 5}, .forecast = {0, 1, 1, 1, 0}}})[0];
  EXPECT_TRUE(std::isnan(outputs.surprises[0]));
  EXPECT_TRUE(std::isnan(outputs.surprises[1]));
  EXPECT_FALSE(std::isnan(outputs.surprises[2]));
  EXPECT_TRUE(std::isnan(outputs.surprises[3]));
  EXPECT_FALSE(std::isnan(outputs.surprises[4]));
}

TEST_F(EngineTest, SurpriseComparesWithTheForecastOfThePreviousCall) {
  const Slot slot = stepper_.Open();
  const Outputs before = stepper_.Feed(slot, {1, 2, 4, 3});
  const float median = before.forecasts[3 * 15 + 1];
  EXPECT_EQ(stepper_.Feed(slot, {median}).surprises[0], 0.5f);
  const float high = stepper_.Feed(slot, {1e6f}).surprises[0];
  EXPECT_GT(high, 0.99f);
}

TEST_F(EngineTest, SurpriseIsTheSameWithAndWithoutAPlaceForIt) {
  const Slot asked = stepper_.Open();
  const Slot not_asked = stepper_.Open();
  for (int t = 0; t < 10; ++t) {
    stepper_.Feed(asked, {static_cast<float>(t)});
    value_ = {static_cast<float>(t)};
    ASSERT_TRUE(Step({not_asked}).ok());
  }
  EXPECT_EQ(stepper_.RowBytes(asked), stepper_.RowBytes(not_asked));
}

TEST_F(EngineTest, ResetForgetsEverything) {
  const Slot slot = stepper_.Open();
  const std::vector<std::byte> fresh = stepper_.RowBytes(slot);
  stepper_.Feed(slot, Series(2, 50));
  EXPECT_NE(stepper_.RowBytes(slot), fresh);
  ASSERT_TRUE(stepper_.lane().Reset({&slot, 1}).ok());
  EXPECT_EQ(stepper_.RowBytes(slot), fresh);
}

TEST_F(EngineTest, ARowContinuesInAnotherLane) {
  const Slot slot = stepper_.Open();
  stepper_.Feed(slot, Series(3, 70));
  Stepper other(stepper_.engine());
  const Slot moved = other.Open();
  other.SetRow(moved, stepper_.RowBytes(slot));
  EXPECT_EQ(other.Feed(moved, Series(4, 30)), stepper_.Feed(slot, Series(4, 30)));
}

}  // namespace
}  // namespace aaren::engine
