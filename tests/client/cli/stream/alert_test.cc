#include "client/cli/stream/alert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace aaren::cli {
namespace {

const float kNone = std::nanf("");

TEST(AlertRuleTest, HalfOfTheRateLiesOnEachSide) {
  const AlertRule rule(0.5);
  EXPECT_TRUE(rule.IsAlert(0.24f));
  EXPECT_FALSE(rule.IsAlert(0.26f));
  EXPECT_FALSE(rule.IsAlert(0.74f));
  EXPECT_TRUE(rule.IsAlert(0.76f));
}

TEST(AlertRuleTest, ValueOnTheBoundaryIsNoAlert) {
  const AlertRule rule(0.5);  // a quarter is exact in floating point
  EXPECT_FALSE(rule.IsAlert(0.25f));
  EXPECT_FALSE(rule.IsAlert(0.75f));
  EXPECT_TRUE(rule.IsAlert(std::nextafter(0.25f, 0.0f)));
  EXPECT_TRUE(rule.IsAlert(std::nextafter(0.75f, 1.0f)));
}

TEST(AlertRuleTest, ImpossibleValuesAreAlertsAtAnyRate) {
  for (double rate : {1e-12, 1e-3, 0.999}) {
    EXPECT_TRUE(AlertRule(rate).IsAlert(0)) << rate;
    EXPECT_TRUE(AlertRule(rate).IsAlert(1)) << rate;
  }
}

TEST(AlertRuleTest, MedianIsNoAlertAtAnyRate) { EXPECT_FALSE(AlertRule(0.999).IsAlert(0.5f)); }

TEST(AlertRuleTest, WhatHasNoSurpriseIsNoAlert) { EXPECT_FALSE(AlertRule(0.999).IsAlert(kNone)); }

TEST(AlertCountTest, WaitsWhileASessionIsLearning) {
  const float surprises[] = {0, 0, kNone};
  const bool learning[] = {true, false, false};
  AlertCount count(AlertRule(0.01)), early(AlertRule(0.01, /*early=*/true));
  EXPECT_EQ(count.Add(surprises, learning), 1u);
  EXPECT_EQ(count.Summary(), "alerts: 1 of 1 values; the rate 0.01 makes 0.0 expected");
  EXPECT_EQ(early.Add(surprises, learning), 2u);
}

TEST(AlertRuleTest, OfUniformSurprisesTheRateAreAlerts) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  constexpr int kValues = 200'000;
  for (double rate : {0.01, 0.1}) {
    const AlertRule rule(rate);
    int alerts = 0;
    for (int i = 0; i < kValues; ++i) alerts += rule.IsAlert(uniform(random)) ? 1 : 0;
    EXPECT_NEAR(alerts, rate * kValues, 4 * std::sqrt(rate * kValues));
  }
}

TEST(AlertCountTest, AddTellsHowManyOfARowAreAlerts) {
  AlertCount count(AlertRule(0.1));
  EXPECT_EQ(count.Add(std::vector<float>{0.01f, 0.5f, 0.99f, kNone}), 2u);
  EXPECT_EQ(count.Add(std::vector<float>{0.5f, 0.5f, 0.5f, kNone}), 0u);
}

TEST(AlertCountTest, SummaryCountsValuesThatWereJudged) {
  AlertCount count(AlertRule(0.1));
  count.Add(std::vector<float>{0.01f, 0.5f});
  count.Add(std::vector<float>{0.99f, kNone});
  count.Add({});
  EXPECT_EQ(count.Summary(), "alerts: 2 of 3 values; the rate 0.1 makes 0.3 expected");
}

}  // namespace
}  // namespace aaren::cli
