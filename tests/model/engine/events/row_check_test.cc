#include "model/engine/events/row_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/model/engine/events/random_events.h"

namespace aaren::events {
namespace {

using testing::HasSubstr;

class RowCheckTest : public testing::Test {
 protected:
  RowCheckTest() : engine_(*NewEventEngine(RandomEventPackage(5))), row_(NewEventRow(true)) {
    const std::vector<Event> events = HardEvents(7, 100);
    const EventRun run = {&row_, events, nullptr};
    EXPECT_TRUE(engine_->Step({&run, 1}, *engine_->NewScratch()).ok());
  }

  std::string Fault() const { return std::string(bounds_.Check(row_).message()); }

  const std::unique_ptr<EventEngine> engine_;
  const RowBounds bounds_{RandomEventPackage(5)};
  EventRow row_;
};

TEST_F(RowCheckTest, AcceptsARowOfAStream) { EXPECT_EQ(Fault(), ""); }

TEST_F(RowCheckTest, ASlotThatDoesNotExistIsNamed) {
  row_.memory.pairs[17] = 64;
  EXPECT_THAT(Fault(), HasSubstr("pairs is 64"));
}

TEST_F(RowCheckTest, ANewestMarkWithoutASlotIsNamed) {
  row_.memory.newest.slot = kNoSlot;
  EXPECT_THAT(Fault(), HasSubstr("newest.slot is 255"));
}

TEST_F(RowCheckTest, MoreSlotsThanThereAreAreNamed) {
  row_.memory.live = 200;
  EXPECT_THAT(Fault(), HasSubstr("live is 200"));
}

TEST_F(RowCheckTest, AMeanBeyondItsNumbersIsNamed) {
  row_.memory.log_gap[0].sum = 1e9;
  EXPECT_THAT(Fault(), HasSubstr("log_gap is"));
}

TEST_F(RowCheckTest, AnAttentionBeyondTheWeightsIsNamed) {
  row_.layers[1].output[3] = 1e6;
  EXPECT_THAT(Fault(), HasSubstr("an attention's output is"));
}

TEST_F(RowCheckTest, AnAttentionBeforeTheFirstIntervalIsNamed) {
  row_ = NewEventRow(true);
  const std::vector<Event> one = HardEvents(7, 1);
  const EventRun run = {&row_, one, nullptr};
  ASSERT_TRUE(engine_->Step({&run, 1}, *engine_->NewScratch()).ok());
  EXPECT_EQ(Fault(), "");
  row_.layers[0].peak[0] = 1e30f;
  EXPECT_THAT(Fault(), HasSubstr("no interval is above 0"));
}

TEST_F(RowCheckTest, AnOutlookWithoutSpreadIsNamed) {
  row_.outlook.spread[0] = 0;
  EXPECT_THAT(Fault(), HasSubstr("outlook.spread is 0"));
}

TEST_F(RowCheckTest, AnOutlookOfLessThanOneIntervalIsNamed) {
  row_.outlook.doubt = 1.5f;
  EXPECT_THAT(Fault(), HasSubstr("outlook.doubt is 1.5"));
}

TEST_F(RowCheckTest, ARowWithoutEventsHoldsNothingElse) {
  row_.memory.count = 0;
  EXPECT_THAT(Fault(), HasSubstr("count is 0"));
}

// Every accepted row must forecast numbers, whatever was changed.
TEST_F(RowCheckTest, RowsWithChangedBytesAreRefusedOrForecastNumbers) {
  const EventRow sound = row_;
  const auto scratch = engine_->NewScratch();
  std::mt19937_64 random(3);
  size_t accepted = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    row_ = sound;
    auto* bytes = reinterpret_cast<uint8_t*>(&row_);
    for (int i = 0; i < 3; ++i) bytes[random() % sizeof(row_)] = static_cast<uint8_t>(random());
    if (!bounds_.Check(row_).ok()) continue;
    ++accepted;
    const Event next = {std::max(row_.newest_ns, sound.newest_ns), random() % 12};
    EventResult result;
    const EventRun run = {&row_, {&next, 1}, &result};
    ASSERT_TRUE(engine_->Step({&run, 1}, *scratch).ok());
    ASSERT_TRUE(std::isfinite(IntervalAt(result.outlook, 0.9))) << trial;
    for (const float probability : result.marks) ASSERT_TRUE(std::isfinite(probability)) << trial;
  }
  EXPECT_GT(accepted, 100u) << "else the test shows nothing";
}

}  // namespace
}  // namespace aaren::events
