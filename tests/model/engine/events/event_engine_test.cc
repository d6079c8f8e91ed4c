#include "model/engine/events/event_engine.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/model/engine/events/random_events.h"
#include "tests/model/engine/only_target.h"

namespace aaren::events {
namespace {

class EventEngineTest : public testing::Test {
 protected:
  EventEngineTest() : engine_(*NewEventEngine(RandomEventPackage(5))), scratch_(engine_->NewScratch()) {}

  std::vector<EventResult> Feed(EventRow& row, absl::Span<const Event> events, size_t at_a_time = 1'000'000) {
    std::vector<EventResult> results(events.size());
    std::memset(results.data(), 0, results.size() * sizeof(EventResult));
    for (size_t begin = 0; begin < events.size(); begin += at_a_time) {
      const EventRun run = {&row, events.subspan(begin, at_a_time), results.data() + begin};
      EXPECT_TRUE(engine_->Step({&run, 1}, *scratch_).ok());
    }
    return results;
  }

  const std::unique_ptr<EventEngine> engine_;
  const std::unique_ptr<EventEngine::Scratch> scratch_;
};

template <class T>
std::string BytesOf(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string BytesOf(const std::vector<EventResult>& results) {
  return std::string(reinterpret_cast<const char*>(results.data()), results.size() * sizeof(EventResult));
}

uint64_t Fingerprint(const std::string& bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return hash;
}

TEST_F(EventEngineTest, AnySplitGivesTheSameBits) {
  const std::vector<Event> events = HardEvents(1, 400);
  EventRow whole = NewEventRow(true);
  const std::vector<EventResult> expected = Feed(whole, events);
  for (const size_t at_a_time : {1, 7, 64, 65}) {
    EventRow row = NewEventRow(true);
    EXPECT_EQ(BytesOf(Feed(row, events, at_a_time)), BytesOf(expected)) << at_a_time;
    EXPECT_EQ(BytesOf(row), BytesOf(whole)) << at_a_time;
  }
}

TEST_F(EventEngineTest, OtherRowsOfABatchChangeNothing) {
  const std::vector<Event> one = HardEvents(1, 150), two = HardEvents(2, 90), three = HardEvents(3, 5);
  EventRow alone = NewEventRow(true), first = alone, second = NewEventRow(false), third = alone;
  const std::vector<EventResult> expected = Feed(alone, one);
  std::vector<EventResult> results(one.size());
  std::memset(results.data(), 0, results.size() * sizeof(EventResult));
  const EventRun runs[] = {{&third, three, nullptr}, {&first, one, results.data()}, {&second, two, nullptr}};
  ASSERT_TRUE(engine_->Step(runs, *scratch_).ok());
  EXPECT_EQ(BytesOf(results), BytesOf(expected));
  EXPECT_EQ(BytesOf(first), BytesOf(alone));
}

TEST_F(EventEngineTest, ResultsHaveTheRecordedBitsOnEveryTarget) {
  for (const int64_t target : engine::ExactTargets()) {
    const engine::OnlyTarget only(target);
    EventRow row = NewEventRow(true);
    const std::string results = BytesOf(Feed(row, HardEvents(1, 400)));
    EXPECT_EQ(Fingerprint(results), 4049269974316980746u) << hwy::TargetName(target);
    EXPECT_EQ(Fingerprint(BytesOf(row)), 17799761415834810856u) << hwy::TargetName(target);
  }
}

TEST_F(EventEngineTest, ASurpriseThatNobodyAsksForIsMissingAndChangesNothingElse) {
  EventRow asked = NewEventRow(true), silent = asked;
  for (const Event& event : HardEvents(1, 100)) {
    EventResult with = {}, without = {};
    engine_->Take(event, {.result = &with}, asked, *scratch_);
    engine_->Take(event, {.result = &without, .surprise = false}, silent, *scratch_);
    engine_->Pass(*scratch_);
    EXPECT_TRUE(std::isnan(without.surprise));
    without.surprise = with.surprise;
    EXPECT_EQ(BytesOf(std::vector<EventResult>{without}), BytesOf(std::vector<EventResult>{with}));
  }
  EXPECT_EQ(BytesOf(silent), BytesOf(asked));
}

TEST_F(EventEngineTest, ForecastsBeginWithTheFirstIntervalAboveZero) {
  EventRow row = NewEventRow(false);
  const std::vector<EventResult> results = Feed(row, std::vector<Event>{{5, 1}, {5, 1}, {9, 2}, {12, 1}});
  EXPECT_FALSE(results[0].outlook.made());
  EXPECT_FALSE(results[1].outlook.made());
  EXPECT_TRUE(results[2].outlook.made());
  EXPECT_TRUE(std::isnan(results[2].surprise));
  EXPECT_GE(results[3].surprise, 0);
  EXPECT_LE(results[3].surprise, 1);
}

TEST_F(EventEngineTest, ProbabilitiesOfMarksSumToOne) {
  EventRow row = NewEventRow(true);
  for (const EventResult& result : Feed(row, HardEvents(4, 300))) {
    if (!result.outlook.made()) continue;
    double sum = 0;
    for (const float probability : result.marks) {
      EXPECT_TRUE(std::isfinite(probability));
      sum += probability;
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST_F(EventEngineTest, AMillionMarksLeaveTheRowFinite) {
  EventRow row = NewEventRow(true);
  std::vector<Event> events;
  for (uint64_t i = 0; i < 3000; ++i) {
    events.push_back({.time_ns = static_cast<int64_t>(i * i), .mark = i * 0x9e3779b97f4a7c15});
  }
  const EventResult last = Feed(row, events).back();
  EXPECT_GT(last.marks[kNewMark], 0);
  EXPECT_TRUE(std::isfinite(IntervalAt(last.outlook, 0.5)));
}

TEST_F(EventEngineTest, TimesThatGoBackAreRefusedAndNoRowChanges) {
  EventRow row = NewEventRow(true), other = row;
  Feed(row, std::vector<Event>{{5, 1}, {9, 1}});
  const std::string before = BytesOf(row), other_before = BytesOf(other);
  const std::vector<Event> good = {{1, 1}, {2, 1}}, back = {{10, 1}, {8, 1}};
  const EventRun runs[] = {{&other, good, nullptr}, {&row, back, nullptr}};
  const absl::Status status = engine_->Step(runs, *scratch_);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(status.message(), "runs[1].events[1] has the time 8, before 10");
  EXPECT_EQ(BytesOf(row), before);
  EXPECT_EQ(BytesOf(other), other_before);
}

TEST_F(EventEngineTest, ARowInTwoRunsIsRefused) {
  EventRow row = NewEventRow(true);
  const std::vector<Event> events = {{1, 1}};
  const EventRun runs[] = {{&row, events, nullptr}, {&row, events, nullptr}};
  EXPECT_TRUE(absl::IsInvalidArgument(engine_->Step(runs, *scratch_)));
}

TEST_F(EventEngineTest, TheWidestStepOfTimeIsTaken) {
  EventRow row = NewEventRow(true);
  const std::vector<EventResult> results =
      Feed(row, std::vector<Event>{{INT64_MIN, 1}, {INT64_MIN + 1, 1}, {INT64_MAX, 1}, {INT64_MAX, 2}});
  for (size_t k = 0; k < kComponents; ++k) EXPECT_TRUE(std::isfinite(results[3].outlook.at[k]));
}

}  // namespace
}  // namespace aaren::events
