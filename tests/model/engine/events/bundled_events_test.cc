// The bundled forecaster of events.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "model/engine/events/event_engine.h"
#include "tests/model/engine/events/random_events.h"

namespace aaren::events {
namespace {

EventPackage Bundled() {
  const absl::StatusOr<EventPackage> package = LoadEventPackage(AAREN_BUNDLED_EVENTS);
  EXPECT_TRUE(package.ok()) << package.status();
  return *package;
}

uint64_t FingerprintOf(const void* bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < count; ++i) hash = (hash ^ static_cast<const uint8_t*>(bytes)[i]) * 0x100000001b3;
  return hash;
}

TEST(BundledEventsTest, ResultsHaveTheRecordedBits) {
  const auto engine = *NewEventEngine(Bundled());
  const std::vector<Event> events = HardEvents(1, 400);
  std::vector<EventResult> results(events.size());
  std::memset(results.data(), 0, results.size() * sizeof(EventResult));
  EventRow row = NewEventRow(true);
  const EventRun run = {&row, events, results.data()};
  ASSERT_TRUE(engine->Step({&run, 1}, *engine->NewScratch()).ok());
  EXPECT_EQ(FingerprintOf(results.data(), results.size() * sizeof(EventResult)), 16669947471726677429u);
  EXPECT_EQ(FingerprintOf(&row, sizeof(row)), 7389871208904012577u);
}

// The network was trained on streams where an interval of any length followed two equal ones.
TEST(BundledEventsTest, TwoEqualIntervalsPromiseNothingFar) {
  const auto engine = *NewEventEngine(Bundled());
  const std::vector<Event> events = {{0, 1}, {7'000'000'000, 1}, {14'000'000'000, 1}};
  std::vector<EventResult> results(events.size());
  EventRow row = NewEventRow(false);
  const EventRun run = {&row, events, results.data()};
  ASSERT_TRUE(engine->Step({&run, 1}, *engine->NewScratch()).ok());
  EXPECT_LT(IntervalAt(results.back().outlook, 0.9), 60 * 7);
}

// A timer of a minute, early or late by up to half a second, with three marks in turn.
TEST(BundledEventsTest, ATimerAndACycleAreForeseen) {
  const auto engine = *NewEventEngine(Bundled());
  std::vector<Event> events;
  for (int64_t i = 0; i < 40; ++i) {
    const int64_t late = (i * 37 % 11 - 5) * 100'000'000;
    events.push_back({.time_ns = i * 60'000'000'000 + late, .mark = static_cast<uint64_t>(i % 3)});
  }
  std::vector<EventResult> results(events.size());
  EventRow row = NewEventRow(false);
  const EventRun run = {&row, events, results.data()};
  ASSERT_TRUE(engine->Step({&run, 1}, *engine->NewScratch()).ok());
  const EventResult& last = results.back();
  EXPECT_NEAR(IntervalAt(last.outlook, 0.5), 60, 3);
  EXPECT_GT(ProbabilityWithin(last.outlook, 70) - ProbabilityWithin(last.outlook, 50), 0.8);
  const size_t next = FindSlot(row.memory, 40 % 3);
  EXPECT_GT(last.marks[next], 0.9f);
}

}  // namespace
}  // namespace aaren::events
