// The bundled forecaster of events on unseen streams of the training's generator.

#include <gtest/gtest.h>

#include <cmath>

#include "model/tasks/events/evaluation.h"
#include "model/tasks/events/synthetic.h"

namespace aaren::events {
namespace {

constexpr uint64_t kUnseen = 1'000'003;  // a seed of the generator

// Streams with times fit for nanoseconds.
std::vector<EventStream> UnseenStreams(int count) {
  std::vector<EventStream> streams;
  for (uint64_t index = 0; static_cast<int>(streams.size()) < count; ++index) {
    const EventSequence sequence = SyntheticEvents(kUnseen, index, 160);
    const double mean = sequence.times.back() / 160;
    if (mean < 1e-3 || mean > 1e6) continue;
    EventStream stream;
    for (size_t i = 0; i < sequence.times.size(); ++i) {
      stream.times_ns.push_back(std::llround(sequence.times[i] * 1e9));
      stream.marks.push_back(static_cast<uint64_t>(sequence.marks[i]));
    }
    streams.push_back(std::move(stream));
  }
  return streams;
}

// Young streams, each with a mean interval of a second: all streams count alike in the WQL.
std::vector<EventStream> YoungStreams(int count) {
  std::vector<EventStream> streams;
  for (int index = 0; index < count; ++index) {
    const EventSequence sequence = SyntheticEvents(kUnseen, index, 24);
    const double mean = sequence.times.back() / 23;
    EventStream stream;
    for (size_t i = 0; i < sequence.times.size(); ++i) {
      stream.times_ns.push_back(std::llround(sequence.times[i] / mean * 1e9));
      stream.marks.push_back(static_cast<uint64_t>(sequence.marks[i]));
    }
    streams.push_back(std::move(stream));
  }
  return streams;
}

Evaluation EvaluationOn(const std::vector<EventStream>& streams) {
  const absl::StatusOr<EventPackage> package = LoadEventPackage(AAREN_BUNDLED_EVENTS);
  EXPECT_TRUE(package.ok()) << package.status();
  const auto engine = *NewEventEngine(*package);
  const absl::StatusOr<Evaluation> evaluation =
      EvaluateEvents(*engine, streams, {.rounding = 0, .calendar = false, .rules = true});
  EXPECT_TRUE(evaluation.ok()) << evaluation.status();
  return *evaluation;
}

TEST(BundledQualityTest, QuantilesOfYoungStreamsAreBetterThanEveryRules) {
  const std::vector<TimeScore> times = EvaluationOn(YoungStreams(200)).times;  // the model comes first
  for (size_t i = 1; i < times.size(); ++i) EXPECT_LT(times[0].wql, times[i].wql) << times[i].name;
}

TEST(BundledQualityTest, BeatsEveryRuleInTimesAndMarks) {
  const Evaluation evaluation = EvaluationOn(UnseenStreams(24));
  const std::vector<TimeScore>& times = evaluation.times;
  const std::vector<MarkScore>& marks = evaluation.marks;
  for (size_t i = 1; i < times.size(); ++i) EXPECT_LT(times[0].nll, times[i].nll - 0.1) << times[i].name;
  for (size_t i = 1; i < marks.size(); ++i) EXPECT_LT(marks[0].nll, marks[i].nll - 0.1) << marks[i].name;
}

}  // namespace
}  // namespace aaren::events
