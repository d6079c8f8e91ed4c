#include "model/training/history.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace aaren::training {
namespace {

TEST(HistoryTest, PoolsTheStepsOfALongRunAndLosesNone) {
  History history;
  for (int64_t step = 1; step <= 1000; ++step) history.AddStep(step, 1000, 2, 10, 0.5);
  double steps = 0, loss = 0, tokens = 0, seconds = 0;
  for (const Stretch& stretch : history.stretches()) {
    steps += stretch.steps;
    loss += stretch.loss;
    tokens += stretch.tokens;
    seconds += stretch.seconds;
  }
  EXPECT_LE(history.stretches().size(), 400u);
  EXPECT_GE(history.stretches().size(), 300u);
  EXPECT_EQ(history.stretches().back().last_step, 1000);
  EXPECT_EQ(steps, 1000);
  EXPECT_EQ(loss, 2000);
  EXPECT_EQ(tokens, 10000);
  EXPECT_EQ(seconds, 500);
}

TEST(HistoryTest, KeepsEveryStepOfAShortRun) {
  History history;
  for (int64_t step = 1; step <= 30; ++step) history.AddStep(step, 30, static_cast<double>(step), 1, 1);
  ASSERT_EQ(history.stretches().size(), 30u);
  EXPECT_EQ(history.stretches()[6].loss, 7);
}

TEST(HistoryTest, ComesBackFromItsTensors) {
  History history;
  history.AddStep(1, 10, 0.7, 12, 0.1);
  history.AddCheck({.step = 1, .loss = 0.6});
  history.AddQuality("a/b", {.step = 1, .mase = 0.9, .relative = 0.8});
  history.AddGroup("clean days", {.step = 1, .loss = 0.4});
  const History again = History::FromTensors(history.ToTensors());
  EXPECT_EQ(again.stretches(), history.stretches());
  EXPECT_EQ(again.checks(), history.checks());
  EXPECT_EQ(again.groups(), history.groups());
  EXPECT_EQ(again.quality(), history.quality());
}

TEST(HistoryTest, OfACheckpointWithoutOneIsEmpty) { EXPECT_TRUE(History::FromTensors({}).stretches().empty()); }

TEST(HistoryTest, TensorOfAnotherWidthIsRefused) {
  EXPECT_THROW(History::FromTensors({{"checks", torch::zeros({2, 7})}}), c10::Error);
}

}  // namespace
}  // namespace aaren::training
