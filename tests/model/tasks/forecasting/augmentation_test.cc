#include "model/tasks/forecasting/augmentation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace aaren::forecasting {
namespace {

using Values = std::vector<double>;

constexpr int kSteps = 1000, kTries = 2000;

Values Counting() {
  Values values(kSteps);
  for (int t = 0; t < kSteps; ++t) values[t] = t % 50;
  return values;
}

TEST(LoseRowsTest, TakesOutThatManyAndKeepsTheOrderOfTheRest) {
  for (int index = 0; index < 100; ++index) {
    Random random(1, index);
    Values values(kSteps);
    for (int t = 0; t < kSteps; ++t) values[t] = t;
    LoseRows(random, 100, values);
    EXPECT_EQ(values.size(), 900u);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  }
}

TEST(AugmentTest, LeavesAboutHalfOfAllSeriesAsTheyAre) {
  int same = 0;
  for (int index = 0; index < kTries; ++index) {
    Random random(1, index);
    Values values = Counting();
    Augment(random, values);
    same += values == Counting();
  }
  EXPECT_GT(same, 0.3 * kTries);
  EXPECT_LT(same, 0.7 * kTries);
}

// Glitches and moves to another scale may have any sign, and are about as rare as the test allows.
TEST(AugmentTest, WhatIsNeverNegativeStaysSo) {
  int negative = 0;
  for (int index = 0; index < kTries; ++index) {
    Random random(1, index);
    Values values = Counting();
    Augment(random, values);
    negative += *std::min_element(values.begin(), values.end()) < 0;
  }
  EXPECT_LT(negative, 0.06 * kTries);
}

TEST(AugmentTest, MissingValuesAreNoReasonToFail) {
  for (int index = 0; index < kTries; ++index) {
    Random random(1, index);
    Values values(100, std::nan(""));
    if (index % 2 == 0) values[50] = 3;
    Augment(random, values);
    EXPECT_EQ(values.size(), 100u);
    for (const double value : values) EXPECT_FALSE(std::isinf(value));
  }
}

TEST(RemoveStretchesTest, LeavesMostValues) {
  double missing = 0;
  for (int index = 0; index < 100; ++index) {
    Random random(1, index);
    Values values = Counting();
    RemoveStretches(random, values);
    missing += static_cast<double>(std::count_if(values.begin(), values.end(), [](double x) { return std::isnan(x); }));
  }
  EXPECT_GT(missing / (100 * kSteps), 0.02);
  EXPECT_LT(missing / (100 * kSteps), 0.3);
}

}  // namespace
}  // namespace aaren::forecasting
