#include "model/engine/events/outlook.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace aaren::events {
namespace {

Outlook SomeOutlook(double tie_logit) {
  float numbers[kTimeNumbers];
  for (size_t k = 0; k < kTimeNumbers; ++k) numbers[k] = 0.37f * static_cast<float>(k % 7) - 1.1f;
  numbers[kTieLogit] = static_cast<float>(tie_logit);
  Places places = {};
  for (size_t j = 0; j < 5; ++j) {
    places.present[j] = j != 2;
    places.ring[j] = 0.5f * static_cast<float>(j) - 1;
  }
  places.after = 0.3f;
  places.deviation = 0.7f;
  return OutlookOf(numbers, places, std::log(30.0));
}

TEST(OutlookTest, WeightsSumToOneAndAbsentCopiesHaveNone) {
  const Outlook outlook = SomeOutlook(-2);
  double sum = 0;
  for (const float weight : outlook.weight) sum += weight;
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_EQ(outlook.weight[kLogNormals + kWeibulls + 2], 0);
  EXPECT_EQ(outlook.weight[kLogNormals + kWeibulls + 5], 0);
  EXPECT_GT(outlook.weight[kLogNormals + kWeibulls + 1], 0);
}

TEST(OutlookTest, ProbabilityGrowsFromTheTiesToOneWithTheDensityAsSlope) {
  const Outlook outlook = SomeOutlook(-1);
  EXPECT_EQ(ProbabilityWithin(outlook, 0), outlook.tie);
  EXPECT_NEAR(ProbabilityWithin(outlook, 1e15), 1, 1e-6);
  for (double gap = 1e-3; gap < 1e6; gap *= 3) {
    const double h = 1e-5;
    const double slope =
        (ProbabilityWithin(outlook, gap * std::exp(h)) - ProbabilityWithin(outlook, gap * std::exp(-h))) / (2 * h);
    EXPECT_NEAR(slope, (1 - outlook.tie) * std::exp(LogDensity(outlook, gap)), 2e-5) << gap;
  }
}

TEST(OutlookTest, AnIntervalIsAtItsLevel) {
  const Outlook outlook = SomeOutlook(-1);
  for (double level = 0.05; level < 1; level += 0.05) {
    const double gap = IntervalAt(outlook, level);
    if (level <= outlook.tie) {
      EXPECT_EQ(gap, 0);
    } else {
      EXPECT_NEAR(ProbabilityWithin(outlook, gap), level, 1e-7);
    }
  }
}

TEST(OutlookTest, TheNormalDistributionIsExactToNineDigits) {
  Outlook outlook = kNoOutlook;
  outlook.tie = 0;
  outlook.weight[0] = 1;
  outlook.spread[0] = 1;
  for (double z = -7.9; z < 7.9; z += 0.0731) {
    EXPECT_NEAR(ProbabilityWithin(outlook, std::exp(z)), 0.5 * std::erfc(-z / std::numbers::sqrt2), 1e-9) << z;
  }
}

TEST(OutlookTest, SilenceLeavesTheIntervalsThatAreLonger) {
  const Outlook outlook = SomeOutlook(-1);
  const double silence = IntervalAt(outlook, 0.6);
  EXPECT_NEAR(ProbabilityAfterSilence(outlook, silence, IntervalAt(outlook, 0.8) - silence), 0.5, 1e-6);
  EXPECT_NEAR(IntervalAfterSilence(outlook, silence, 0.5), IntervalAt(outlook, 0.8), 1e-5 * silence);
  EXPECT_NEAR(ProbabilityAfterSilence(outlook, silence, 0), 0, 1e-9);
}

TEST(OutlookTest, ASilenceBeyondTheForecastHasAFiniteEnd) {
  const Outlook outlook = SomeOutlook(-1);
  const double later = IntervalAfterSilence(outlook, 1e14, 0.5), chance = ProbabilityAfterSilence(outlook, 1e14, 1e14);
  EXPECT_GE(later, 1e14);
  EXPECT_TRUE(std::isfinite(later));
  EXPECT_GE(chance, 0);
  EXPECT_LE(chance, 1);
}

TEST(OutlookTest, SurpriseIsThePlaceInTheForecast) {
  EXPECT_TRUE(std::isnan(SurpriseOf(kNoOutlook, 1)));
  const Outlook outlook = SomeOutlook(-1);
  EXPECT_EQ(SurpriseOf(outlook, 0), outlook.tie / 2.0);
  EXPECT_EQ(SurpriseOf(outlook, 5), ProbabilityWithin(outlook, 5));
}

}  // namespace
}  // namespace aaren::events
