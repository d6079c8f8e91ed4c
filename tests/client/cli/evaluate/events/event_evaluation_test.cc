// Evaluations against a FakeServer whose forecasts are known: quantiles all equal, the last mark at 0.75, new marks at
// 0.25.

#include "client/cli/evaluate/events/event_evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "aaren/client/event_marks.h"
#include "tests/client/fake_server.h"

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;

EventSeries Series(const std::string& name, const std::vector<std::string>& marks) {
  EventSeries series{.name = name, .events = {}};
  for (size_t i = 0; i < marks.size(); ++i) {
    series.events.push_back({.line = i + 2,
                             .time = "",
                             .time_ns = static_cast<int64_t>(i * i) * 1'000'000'000,
                             .mark = marks[i],
                             .series = name});
  }
  return series;
}

absl::StatusOr<EventScores> Evaluate(FakeServer& server, const std::vector<EventSeries>& series) {
  Interrupt interrupt;
  return EvaluateEvents(series, {.server = {.target = server.target()}}, interrupt, [](size_t) {});
}

// The third event of a series is the first that is scored.
TEST(EventEvaluationTest, MarksAreScoredByTheirOwnProbability) {
  FakeServer server({.events = true});
  const auto scores = Evaluate(server, {Series("x", {"a", "b", "b", "a"}), Series("y", {"a", "a", "a"})});
  ASSERT_TRUE(scores.ok()) << scores.status();
  const events::Evaluation& evaluation = scores->evaluation;
  EXPECT_EQ(evaluation.events, 3u);
  // b after b and a after a are named; a after b is new to a server that knows the last mark only.
  EXPECT_NEAR(evaluation.marks[0].nll, -(2 * std::log(0.75) + std::log(0.25)) / 3, 1e-6);
  EXPECT_NEAR(evaluation.marks[0].accuracy, 2.0 / 3, 1e-9);
  EXPECT_EQ(evaluation.times.size(), 5u);
  EXPECT_EQ(scores->samples.size(), 2u);
  EXPECT_EQ(server.sessions(), 0);
}

// All quantiles of the server's forecast are the sum of the marks' numbers so far: the losses of the levels p and 1 - p
// add up to the distance of the interval.
TEST(EventEvaluationTest, WqlOfEqualQuantilesIsTheSumOfTheDistances) {
  FakeServer server({.events = true});
  const std::vector<std::string> marks = {"a", "b", "a", "c", "b", "a"};
  const auto scores = Evaluate(server, {Series("x", marks)});
  ASSERT_TRUE(scores.ok()) << scores.status();
  double sum = client::MarkNumber(marks[0]), distances = 0, gaps = 0;
  for (size_t i = 2; i < marks.size(); ++i) {
    sum += client::MarkNumber(marks[i - 1]);
    const double gap = 2.0 * static_cast<double>(i) - 1;  // event i is at i * i seconds
    distances += std::abs(gap - sum);
    gaps += gap;
  }
  EXPECT_NEAR(scores->evaluation.times[0].wql, distances / gaps, 1e-4 * distances / gaps);
}

TEST(EventEvaluationTest, CutsChangeNoScore) {
  std::vector<std::string> marks;
  for (int i = 0; i < 200; ++i) marks.push_back(std::to_string(i * i % 7));
  FakeServer whole({.events = true}), cut({.events = true});
  cut.CutAt({2, 3, 6});
  const auto a = Evaluate(whole, {Series("x", marks)}), b = Evaluate(cut, {Series("x", marks)});
  ASSERT_TRUE(a.ok() && b.ok()) << b.status();
  EXPECT_EQ(EventScoresToJsonLines(a->evaluation), EventScoresToJsonLines(b->evaluation));
}

TEST(EventEvaluationTest, TooFewEventsAreNamed) {
  FakeServer server({.events = true});
  EXPECT_THAT(std::string(Evaluate(server, {Series("x", {"a", "b"})}).status().message()),
              HasSubstr("fewer than three events"));
}

}  // namespace
}  // namespace aaren::cli
