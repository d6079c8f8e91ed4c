#include "model/training/events/event_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace aaren::training {
namespace {

events::EventSequence Sequence(std::vector<double> times, std::vector<int> marks, double rounding = 0) {
  events::EventSequence sequence;
  sequence.times = std::move(times);
  sequence.marks = std::move(marks);
  sequence.rounding = rounding;
  return sequence;
}

EventBatch BatchOf(const events::EventSequence& sequence) { return EventBatchOf({&sequence, 1}, 1); }

TEST(EventBatchTest, ATokenForecastsTheEventAfterIt) {
  const EventBatch batch = BatchOf(Sequence({0, 2, 4, 4, 20}, {1, 1, 2, 1, 9}));
  ASSERT_EQ(batch.tokens, 3);
  EXPECT_NEAR(batch.targets[0].place, 0, 1e-12) << "the interval of 2 comes again";
  EXPECT_FALSE(batch.targets[0].tie);
  EXPECT_TRUE(batch.targets[1].tie);
  EXPECT_NEAR(batch.targets[2].place, std::log(8), 1e-12);
}

TEST(EventBatchTest, AMarkIsItsSlotAndANewMarkTheNumberOfKnownMarks) {
  const EventBatch batch = BatchOf(Sequence({0, 2, 4, 5, 20}, {7, 7, 8, 7, 9}));
  EXPECT_EQ(batch.targets[0].mark, 1) << "new, beside one known mark";
  EXPECT_EQ(batch.targets[1].mark, 0);
  EXPECT_EQ(batch.targets[2].mark, 2);
  EXPECT_EQ(batch.first_mark, (std::vector<int64_t>{0, 1, 3, 5}));
}

TEST(EventBatchTest, BeforeTheFirstIntervalAboveZeroThereIsNoToken) {
  const EventBatch batch = BatchOf(Sequence({0, 0, 0, 3, 5}, {1, 1, 1, 1, 1}));
  EXPECT_EQ(batch.elapsed[0], kNoToken);
  EXPECT_EQ(batch.elapsed[1], kNoToken);
  EXPECT_EQ(batch.weights[1], 0);
  EXPECT_GE(batch.elapsed[2], 0);
  EXPECT_GT(batch.weights[2], 0);
}

TEST(EventBatchTest, EarlyTokensWeighMore) {
  const EventBatch batch = DrawEventBatch(1, 0, 1, 100);
  EXPECT_NEAR(batch.weights[63], 1, 1e-6) << "the token after event 64";
  EXPECT_GT(batch.weights[10], batch.weights[90]);
}

TEST(EventBatchTest, TargetsOfRoundedTimesLieAnywhereWithinTheirRounding) {
  std::vector<double> times;
  for (int i = 0; i < 300; ++i) times.push_back(10 * i);
  const EventBatch batch = BatchOf(Sequence(times, std::vector<int>(300, 0), 10));
  double least = 10, most = -10;
  for (const EventTarget& target : batch.targets) {
    least = std::min(least, std::exp(target.place));
    most = std::max(most, std::exp(target.place));
  }
  EXPECT_NEAR(least, 0.5, 0.05);
  EXPECT_NEAR(most, 1.5, 0.05);
}

TEST(EventBatchTest, EqualArgumentsGiveEqualBatchesAndOthersDoNot) {
  const EventBatch one = DrawEventBatch(3, 32, 4, 60), same = DrawEventBatch(3, 32, 4, 60);
  EXPECT_EQ(one.inputs, same.inputs);
  EXPECT_EQ(one.marks, same.marks);
  EXPECT_EQ(one.weights, same.weights);
  EXPECT_NE(one.inputs, DrawEventBatch(3, 36, 4, 60).inputs);
  EXPECT_NE(one.inputs, DrawEventBatch(4, 32, 4, 60).inputs);
}

TEST(EventBatchTest, EveryNumberOfTheGeneratorsStreamsIsFinite) {
  const EventBatch batch = DrawEventBatch(5, 0, 100, 120);
  const auto finite = [](float x) { return std::isfinite(x); };
  EXPECT_TRUE(std::all_of(batch.inputs.begin(), batch.inputs.end(), finite));
  EXPECT_TRUE(std::all_of(batch.marks.begin(), batch.marks.end(), finite));
  for (const EventTarget& target : batch.targets) EXPECT_TRUE(std::isfinite(target.place));
}

}  // namespace
}  // namespace aaren::training
