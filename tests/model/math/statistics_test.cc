#include "model/math/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace aaren::math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Statistics with mean 10 and deviation 1.
Statistics Alternating(int values, uint64_t history = 1024) {
  Statistics statistics{};
  for (int i = 0; i < values; ++i) statistics.Add(i % 2 == 0 ? 9.0 : 11.0, history);
  return statistics;
}

TEST(StatisticsTest, MeanAndVarianceAreThoseOfTheValues) {
  Statistics statistics{};
  for (double value : {2.0, 4.0, 6.0}) statistics.Add(value, 1024);
  EXPECT_DOUBLE_EQ(statistics.mean, 4.0);
  EXPECT_DOUBLE_EQ(statistics.variance, 8.0 / 3.0);
}

TEST(StatisticsTest, EarlyValuesCountAsTheyAre) {
  Statistics statistics = Alternating(31);
  EXPECT_EQ(statistics.Reach(), kInfinity);
  statistics.Add(1e6, 1024);
  EXPECT_GT(statistics.mean, 1e4);
}

TEST(StatisticsTest, AnyValueAfterConstantOnesCountsAsItIs) {
  Statistics statistics{};
  for (int i = 0; i < 100; ++i) statistics.Add(0.0, 1024);
  EXPECT_EQ(statistics.Reach(), kInfinity);
  statistics.Add(101.0, 1024);
  EXPECT_DOUBLE_EQ(statistics.mean, 1.0);
}

TEST(StatisticsTest, FarValueCountsAsThirtyTwoDeviations) {
  Statistics far = Alternating(100), bound = Alternating(100);
  far.Add(1e30, 1024);
  bound.Add(10.0 + 32.0, 1024);
  EXPECT_DOUBLE_EQ(far.mean, bound.mean);
  EXPECT_DOUBLE_EQ(far.variance, bound.variance);
}

TEST(StatisticsTest, FarValueBelowIsMovedToTheOtherSide) {
  Statistics statistics = Alternating(100);
  statistics.Add(-1e30, 1024);
  EXPECT_NEAR(statistics.mean, 10.0 - 32.0 / 101.0, 1e-12);
}

TEST(StatisticsTest, FarValueAtMostDoublesTheVarianceOfALongHistory) {
  Statistics statistics = Alternating(5000);
  const double before = statistics.variance;
  statistics.Add(1e30, 1024);
  EXPECT_LE(statistics.variance, 2.001 * before);
}

TEST(StatisticsTest, FourthFarValueInARowCountsAsItIs) {
  Statistics statistics = Alternating(100);
  for (int i = 0; i < 3; ++i) statistics.Add(1e6, 1024);
  const double before = statistics.mean;
  EXPECT_LT(before, 100.0);
  statistics.Add(1e6, 1024);
  EXPECT_DOUBLE_EQ(statistics.mean, before + (1e6 - before) / 104.0);
}

TEST(StatisticsTest, VarianceBesideARingIsAtMostTwoDeviationsOfIt) {
  Statistics statistics = Alternating(100);
  EXPECT_EQ(statistics.VarianceBeside(0.5, 1.0), statistics.variance);
  statistics.variance = 1e12;
  EXPECT_EQ(statistics.VarianceBeside(4.0, 1.0), 16.0);
  EXPECT_EQ(statistics.VarianceBeside(0.0, 1.0), 1e12) << "a ring of equal values";
  EXPECT_EQ(statistics.VarianceBeside(4.0, 0.4), 1e12) << "a ring of few values";
}

TEST(StatisticsTest, MeanIsSeenFromWithinTwoDeviations) {
  const Statistics statistics = Alternating(100);
  EXPECT_DOUBLE_EQ(statistics.MeanFrom(8.0, 4.0), 0.5);
  EXPECT_EQ(statistics.MeanFrom(1e6, 4.0), -2.0);
  EXPECT_EQ(statistics.MeanFrom(-1e6, 4.0), 2.0);
}

TEST(StatisticsTest, LoadThatGoesOnAndOffIsLearned) {
  Statistics statistics{};
  for (int day = 0; day < 30; ++day) {
    for (int i = 0; i < 96; ++i) statistics.Add((i < 48 ? 0.0 : 100.0) + 0.01 * (i % 2), 1024);
  }
  EXPECT_EQ(statistics.count, 1024u);
  EXPECT_NEAR(statistics.mean, 50.0, 5.0);
  EXPECT_NEAR(statistics.variance, 2500.0, 250.0);
}

TEST(StatisticsTest, ThreeFarValuesAtATimeStayBound) {
  Statistics statistics = Alternating(5000);
  for (int i = 0; i < 5; ++i) {
    for (int far = 0; far < 3; ++far) statistics.Add(1e15, 1024);
    statistics.Add(10.0, 1024);
  }
  EXPECT_LT(std::sqrt(statistics.variance), 300.0);
}

TEST(StatisticsTest, FirstValueHasATenthOfItselfAsScaleAndTheNinthNothing) {
  Statistics statistics{};
  statistics.Add(5.0, 1024);
  EXPECT_DOUBLE_EQ(statistics.Prior(), 0.1);
  statistics.Add(5.0, 1024);
  EXPECT_DOUBLE_EQ(statistics.Prior(), 0.025);
  for (int i = 0; i < 7; ++i) statistics.Add(5.0, 1024);
  EXPECT_EQ(statistics.Prior(), 0.0);
}

}  // namespace
}  // namespace aaren::math
