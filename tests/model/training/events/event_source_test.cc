#include "model/training/events/event_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace aaren::training {
namespace {

constexpr int64_t kSecond = 1000000000;

// One event a second, so a time tells the event's number; marks alternate.
events::EventStream Regular(int events, int64_t first = 0) {
  events::EventStream stream;
  for (int i = 0; i < events; ++i) {
    stream.times_ns.push_back((first + i) * kSecond);
    stream.marks.push_back(i % 2 == 0 ? 77 : 88);
  }
  return stream;
}

size_t ScoredTokens(const EventBatch& batch) {
  return std::count_if(batch.weights.begin(), batch.weights.end(), [](float weight) { return weight > 0; });
}

TEST(SplitEventsTest, ATenthEndsTheTrainingAndTheLastTenthIsHeldBack) {
  EXPECT_EQ(SplitEvents(100).trained, 80u);
  EXPECT_EQ(SplitEvents(100).known, 90u);
  EXPECT_EQ(SplitEvents(10).trained, 8u);
}

TEST(RecordedEventsTest, ShorterStreamsLeaveTheirLastTokensEmpty) {
  const std::vector<events::EventStream> streams = {Regular(20)};
  const EventBatch batch = RecordedEvents(streams, {.name = "x"})->Draw(0, 3, 50);
  EXPECT_EQ(batch.rows, 3);
  EXPECT_EQ(batch.tokens, 14) << "16 events are for training";
  EXPECT_EQ(batch.weights.size(), 3u * 14u);
}

TEST(RecordedEventsTest, StreamsOfDifferentLengthsShareABatch) {
  const std::vector<events::EventStream> streams = {Regular(20), Regular(200)};
  const std::unique_ptr<EventSource> source = RecordedEvents(streams, {.name = "x"});
  for (int64_t step = 0; step < 20; ++step) {
    const EventBatch batch = source->Draw(step, 4, 50);
    EXPECT_EQ(batch.inputs.size(), static_cast<size_t>(4 * batch.tokens) * events::kInputs);
    EXPECT_EQ(batch.first_mark.size(), static_cast<size_t>(4 * batch.tokens) + 1);
  }
}

TEST(RecordedEventsTest, DrawsDependOnTheStepAlone) {
  const std::vector<events::EventStream> streams = {Regular(500)};
  const std::unique_ptr<EventSource> source = RecordedEvents(streams, {.name = "x"});
  EXPECT_EQ(source->Draw(7, 4, 30).inputs, source->Draw(7, 4, 30).inputs);
}

// True if the inputs of a stream's crops change with the calendar.
bool CalendarCounts(int64_t first) {
  const std::vector<events::EventStream> streams = {Regular(500, first)};
  const auto inputs = [&](bool calendar) {
    return RecordedEvents(streams, {.name = "x", .calendar = calendar})->Draw(0, 4, 30).inputs;
  };
  return inputs(true) != inputs(false);
}

TEST(RecordedEventsTest, AStreamHasACalendarWhereASessionHasOne) {
  EXPECT_FALSE(CalendarCounts(0));
  EXPECT_FALSE(CalendarCounts(events::kFirstDate / kSecond - 1)) << "later crops are of the same stream";
  EXPECT_TRUE(CalendarCounts(events::kFirstDate / kSecond));
}

TEST(RecordedEventsTest, TimesMayBeFarApart) {
  std::vector<events::EventStream> streams = {Regular(20, -9'200'000'000)};
  streams[0].times_ns[10] = streams[0].times_ns[11] = 9'200'000'000'000'000'000;
  streams[0].times_ns.resize(12);
  const EventBatch batch = RecordedEvents(streams, {.name = "x"})->DrawHeldOut(0, 1, 30);
  ASSERT_EQ(batch.tokens, 9);
  EXPECT_NEAR(batch.targets.back().place, std::log(1.84e10), 1e-6) << "in units of the second between other events";
}

TEST(RecordedEventsTest, AFingerprintTellsOtherDrawsApart) {
  const int64_t date = events::kFirstDate / kSecond;
  std::vector<events::EventStream> streams = {Regular(20, date), Regular(30, date)};
  const auto fingerprint = [&](double rounding, bool calendar) {
    return RecordedEvents(streams, {.name = "x", .rounding = rounding, .calendar = calendar})->Fingerprint();
  };
  const std::string before = fingerprint(1, true);
  EXPECT_EQ(fingerprint(1, true), before);
  EXPECT_NE(fingerprint(0, true), before);
  EXPECT_NE(fingerprint(1, false), before);
  streams[1].times_ns.back() += 1;
  EXPECT_NE(fingerprint(1, true), before);
  streams[1].times_ns.back() -= 1;
  streams[0].marks[3] = 99;
  EXPECT_NE(fingerprint(1, true), before);
}

TEST(RecordedEventsTest, HeldOutSequencesAreScoredOnlyInTheirOwnTenth) {
  const std::vector<events::EventStream> streams = {Regular(100), Regular(50)};
  const EventBatch batch = RecordedEvents(streams, {.name = "x"})->DrawHeldOut(0, 8, 256);
  ASSERT_EQ(batch.rows, 2);
  EXPECT_EQ(ScoredTokens(batch), 10u + 5u);
  const auto first = std::find_if(batch.weights.begin(), batch.weights.end(), [](float weight) { return weight > 0; });
  EXPECT_EQ(first - batch.weights.begin(), 78) << "the token that forecasts event 80";
}

TEST(RecordedEventsTest, ALongStreamsHeldOutCropEndsBeforeTheHeldBackTenth) {
  const std::vector<events::EventStream> streams = {Regular(1000)};
  const EventBatch batch = RecordedEvents(streams, {.name = "x"})->DrawHeldOut(0, 8, 50);
  EXPECT_EQ(batch.tokens, 50);
  EXPECT_EQ(ScoredTokens(batch), 50u) << "all of them are among events 800 to 899";
}

TEST(RecordedEventsTest, PastTheLastStreamThereIsNothing) {
  const std::vector<events::EventStream> streams = {Regular(100)};
  EXPECT_EQ(RecordedEvents(streams, {.name = "x"})->DrawHeldOut(8, 8, 50).rows, 0);
}

TEST(GeneratedEventsTest, HeldOutSequencesAreOthers) {
  const std::unique_ptr<EventSource> source = GeneratedEvents(1);
  EXPECT_NE(source->Draw(0, 1, 20).inputs, source->DrawHeldOut(0, 1, 20).inputs);
}

}  // namespace
}  // namespace aaren::training
