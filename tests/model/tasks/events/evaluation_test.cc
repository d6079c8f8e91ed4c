#include "model/tasks/events/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/tasks/events/synthetic.h"
#include "tests/model/engine/events/random_events.h"

namespace aaren::events {
namespace {

EventStream StreamOf(uint64_t index) {
  const EventSequence sequence = SyntheticEvents(9, index, 60);
  EventStream stream;
  for (size_t i = 0; i < sequence.times.size(); ++i) {
    stream.times_ns.push_back(static_cast<int64_t>(std::min(sequence.times[i], 9e8) * 1e9));
    stream.marks.push_back(static_cast<uint64_t>(sequence.marks[i]));
  }
  return stream;
}

TEST(EvaluationTest, ScoresModelAndRulesOnTheSameEvents) {
  const auto engine = NewEventEngine(RandomEventPackage(1));
  ASSERT_TRUE(engine.ok());
  const std::vector<EventStream> streams = {StreamOf(1), StreamOf(2), StreamOf(3)};
  const auto evaluation = EvaluateEvents(**engine, streams, {});
  ASSERT_TRUE(evaluation.ok());
  EXPECT_LE(evaluation->events, 3 * 58u);
  EXPECT_GE(evaluation->events, 2 * 58u);
  ASSERT_EQ(evaluation->times.size(), 5u);
  ASSERT_EQ(evaluation->marks.size(), 4u);
  for (const TimeScore& score : evaluation->times) {
    EXPECT_TRUE(std::isfinite(score.nll)) << score.name;
    EXPECT_EQ(score.nll, score.binned) << score.name;
    EXPECT_GT(score.wql, 0) << score.name;
    EXPECT_GT(score.ks, 0) << score.name;
  }
  for (const MarkScore& score : evaluation->marks) EXPECT_GT(score.nll, 0) << score.name;
  EXPECT_THAT(EvaluationTable(*evaluation), testing::HasSubstr("Hawkes, refitted"));
}

TEST(EvaluationTest, ABinHasTheMassOfItsWidth) {
  const auto engine = NewEventEngine(RandomEventPackage(1));
  ASSERT_TRUE(engine.ok());
  EventStream stream;
  for (int i = 0; i < 40; ++i) {
    stream.times_ns.push_back(int64_t{i} * (100 + i % 3) * 1000000000);
    stream.marks.push_back(i % 2);
  }
  const auto narrow = EvaluateEvents(**engine, {&stream, 1}, {.rounding = 1e-3});
  ASSERT_TRUE(narrow.ok());
  EXPECT_NEAR(narrow->times[0].binned, narrow->times[0].nll, 1e-3);
}

// The model's loss on a stream that begins at this time, with a calendar less without one.
double ChangeByCalendar(int64_t first_ns) {
  const auto engine = NewEventEngine(RandomEventPackage(1));
  EventStream stream = StreamOf(1);
  for (int64_t& time : stream.times_ns) time += first_ns;
  const auto with = EvaluateEvents(**engine, {&stream, 1}, {.calendar = true, .rules = false}),
             without = EvaluateEvents(**engine, {&stream, 1}, {.calendar = false, .rules = false});
  return with->times[0].nll - without->times[0].nll;
}

TEST(EvaluationTest, AStreamHasACalendarWhereASessionHasOne) {
  EXPECT_EQ(ChangeByCalendar(0), 0);
  EXPECT_EQ(ChangeByCalendar(kFirstDate - 1), 0);
  EXPECT_NE(ChangeByCalendar(kFirstDate), 0);
}

// The model's loss at an event `seconds` after 30 events of one a second.
double LossAfter(int64_t seconds) {
  EventStream stream;
  for (int64_t i = 0; i < 30; ++i) stream.times_ns.push_back((i - 9'200'000'000) * 1'000'000'000);
  stream.times_ns.push_back((29 + seconds - 9'200'000'000) * 1'000'000'000);
  stream.marks.assign(31, 1);
  const auto engine = NewEventEngine(RandomEventPackage(1));
  return EvaluateEvents(**engine, {&stream, 1}, {.rules = false, .first_scored = {30}})->times[0].nll;
}

TEST(EvaluationTest, TimesMayBeFurtherApartThanASignedNumberHolds) {
  EXPECT_GT(LossAfter(18'000'000'000), LossAfter(9'000'000'000)) << "a longer silence is less likely";
}

TEST(EvaluationTest, TooFewEventsAreRefused) {
  const auto engine = NewEventEngine(RandomEventPackage(1));
  ASSERT_TRUE(engine.ok());
  const EventStream stream = {.series = "", .times_ns = {1, 2}, .marks = {1, 1}};
  EXPECT_TRUE(absl::IsInvalidArgument(EvaluateEvents(**engine, {&stream, 1}, {}).status()));
}

}  // namespace
}  // namespace aaren::events
