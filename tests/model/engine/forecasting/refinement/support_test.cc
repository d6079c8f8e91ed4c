#include "model/engine/forecasting/refinement/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace aaren::engine {
namespace {

Support Learned(const std::vector<double>& values) {
  Support support;
  support.Reset();
  for (double value : values) support.Add(value);
  return support;
}

// The restricted forecast of a series that has settled.
std::vector<float> Restricted(const Support& support, std::vector<float> forecast) {
  support.Restrict(Support::kSettled, /*from=*/0, forecast.size(), forecast.data());
  return forecast;
}

using Floats = std::vector<float>;

TEST(SupportTest, SeriesThatWasNeverNegativeIsNotForecastBelowZero) {
  EXPECT_EQ(Restricted(Learned({0.3f, 2.7182f, 0.123456f}), {-1, -0.1f, 0.2f}), Floats({0, 0, 0.2f}));
}

TEST(SupportTest, SeriesThatWasNegativeOnceStaysAsItIs) {
  EXPECT_EQ(Restricted(Learned({0.3f, -2.7182f, 0.123456f}), {-1, 0.2f}), Floats({-1, 0.2f}));
}

TEST(SupportTest, NothingIsSaidOfAYoungSeries) {
  Floats forecast = {-0.3f, 1.4f};
  Learned({1, 2}).Restrict(Support::kSettled - 1, 0, 2, forecast.data());
  EXPECT_EQ(forecast, Floats({-0.3f, 1.4f}));
}

TEST(SupportTest, WholeNumbersAreForecastWhole) {
  EXPECT_EQ(Restricted(Learned({3, 8, 0, 12}), {0.4f, 2.5f, 7.7f}), Floats({0, 3, 8}));
}

TEST(SupportTest, OnAndOffAreForecastAsEither) {
  EXPECT_EQ(Restricted(Learned({230, 0, 230, 230}), {-20, 100, 180}), Floats({0, 0, 230}));
}

TEST(SupportTest, TenthsOfADegreeAreForecastAsSuch) {
  const Support support = Learned({20.3f, 19.8f, -4.1f, 0.0f, 35.7f, 20.4f});
  EXPECT_EQ(support.span, 0.1f);
  EXPECT_EQ(Restricted(support, {20.33f, 21.871f}), Floats({20.3f, 21.9f}));
}

TEST(SupportTest, HundredthsAtAHighLevelAreStillFound) {
  EXPECT_EQ(Learned({1000.25f, 1000.26f, 1003.51f, 998.02f}).span, 0.01f);
}

TEST(SupportTest, StepsThatDoNotBeginAtZeroAreFound) {
  EXPECT_EQ(Restricted(Learned({2.5f, 7.5f, 12.5f}), {4.9f, 5.1f, 11.0f}), Floats({2.5f, 7.5f, 12.5f}));
}

TEST(SupportTest, NumbersThatShareNoStepHaveNone) {
  std::mt19937_64 random(1);
  Support support = Learned({});
  for (int i = 0; i < 32; ++i) support.Add(static_cast<float>(random() >> 40) * 0x1p-20f + 3);
  EXPECT_TRUE(std::isnan(support.span));
  EXPECT_EQ(Restricted(support, {3.3f}), Floats({3.3f}));
}

TEST(SupportTest, NumbersFarFromTheFirstShareNoStepWithIt) {
  for (float first : {1e30f, -1e30f, 1e9f}) EXPECT_TRUE(std::isnan(Learned({first, 50.3f, 47.1f, 48.26f}).span));
  for (float jump : {1e30f, 1e6f}) EXPECT_TRUE(std::isnan(Learned({5, 5, jump, 5, 5.3f, 4.1f}).span));
}

TEST(SupportTest, NumbersInMoreStepsThanMatterHaveNone) { EXPECT_TRUE(std::isnan(Learned({0, 1, 123457}).span)); }

TEST(SupportTest, OneValueBesideTheLatticeEndsIt) {
  Support support = Learned({1, 2, 3});
  support.Add(3.14159f);
  EXPECT_NE(Restricted(support, {2.4f}), Floats({2}));
}

TEST(SupportTest, EqualValuesSayNothingOfSteps) {
  EXPECT_EQ(Restricted(Learned({5, 5, 5}), {4.9f, 5.2f}), Floats({4.9f, 5.2f}));
}

TEST(SupportTest, OrderOfQuantilesStays) {
  const Floats q = Restricted(Learned({0, 1, 4}), {-0.9f, -0.2f, 0.4f, 0.6f, 1.1f});
  EXPECT_TRUE(std::is_sorted(q.begin(), q.end()));
}

TEST(SupportTest, NumbersThatAreTooFarAwayStay) {
  EXPECT_EQ(Restricted(Learned({0, 1, 20}), {3e38f, 1e12f}), Floats({3e38f, 1e12f}));
}

TEST(SupportTest, FewValuesAreForecastBetweenTheLeastAndTheGreatest) {
  EXPECT_EQ(Restricted(Learned({1, 0, 1}), {-3, 0.2f, 0.7f, 1.6f, 1e30f}), Floats({0, 0, 1, 1, 1}));
  EXPECT_EQ(Restricted(Learned({-2, 3, 0}), {-9, 9}), Floats({-2, 3}));
  EXPECT_FALSE(Learned({0, 1, 12}).IsFew());
}

TEST(SupportTest, ForecastsAreRelativeToWhatTheCallerSays) {
  Floats forecast = {-1e9f - 4, 0.4f, 2.7f};
  Learned({1e9, 1e9 + 1, 1e9 + 30}).Restrict(Support::kSettled, 1e9, forecast.size(), forecast.data());
  EXPECT_EQ(forecast, Floats({-1e9f, 0, 3}));
}

TEST(SupportTest, DoublesOfTenthsShareTheirStepAtAnyLevel) {
  EXPECT_EQ(Learned({123456.1, 123456.2, 123457.0}).span, 0.1f);
}

TEST(SupportTest, LargestAndLeastValuesAreTaken) {
  for (float value : {1e30f, -1e30f, 1e-27f}) {
    const Support support = Learned({0, value, value / 3});
    EXPECT_TRUE(support.Check().ok()) << support.Check();
    for (float q : Restricted(support, {value, value / 7})) EXPECT_TRUE(std::isfinite(q));
  }
}

TEST(SupportTest, ImpossibleSupportIsRefused) {
  Support support = Learned({1, 2});
  EXPECT_TRUE(support.Check().ok());
  support.span = -1;
  EXPECT_EQ(support.Check().code(), absl::StatusCode::kDataLoss);
  support = Learned({});
  EXPECT_TRUE(support.Check().ok());
  support.least = 3;
  EXPECT_EQ(support.Check().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace aaren::engine
