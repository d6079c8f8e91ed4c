#include "client/cli/evaluate/surprise_score.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aaren::cli {
namespace {

TEST(SurpriseScoreTest, AlertsAreTheValuesInTheOuterHalfPercents) {
  EXPECT_EQ(ScoreSurprises({0.004, 0.996, 0.006, 0.994, 0, 1, 0.5, 0.25}).alerts, 4.0 / 8);
}

TEST(SurpriseScoreTest, UniformSurprisesAlertAtTheNominalRateAndAreNear) {
  std::vector<double> surprises;
  for (int i = 0; i < 1000; ++i) surprises.push_back((i + 0.5) / 1000);
  const SurpriseScore score = ScoreSurprises(surprises);
  EXPECT_EQ(score.alerts, 0.01);
  EXPECT_NEAR(score.ks, 0.0005, 1e-12);
}

TEST(SurpriseScoreTest, ValuesAboveTheDiagonalAreFarthestBeforeTheirStep) {
  // The staircase is 0 below 0.7 and 1/2 below 0.9: |0 - 0.7| is the farthest.
  EXPECT_DOUBLE_EQ(ScoreSurprises({0.9, 0.7}).ks, 0.7);
}

TEST(SurpriseScoreTest, ValuesBelowTheDiagonalAreFarthestAfterTheirStep) {
  // 1/3, 2/3 and 1 from 0.1, 0.2 and 0.35 on: the farthest are 0.233, 0.467 and 0.65.
  EXPECT_DOUBLE_EQ(ScoreSurprises({0.2, 0.1, 0.35}).ks, 0.65);
}

TEST(SurpriseScoreTest, EvenlySpreadValuesAreHalfAStepAway) {
  EXPECT_DOUBLE_EQ(ScoreSurprises({0.125, 0.375, 0.625, 0.875}).ks, 0.125);
}

TEST(SurpriseScoreTest, EqualValuesAreOneStep) { EXPECT_DOUBLE_EQ(ScoreSurprises({0.5, 0.5, 0.5, 0.5}).ks, 0.5); }

TEST(SurpriseScoreTest, MissingSurprisesAreNotScored) {
  const SurpriseScore score = ScoreSurprises({std::nan(""), 0.75, 0.001});
  EXPECT_EQ(score.values, 2u);
  EXPECT_EQ(score.alerts, 0.5);
  EXPECT_DOUBLE_EQ(score.ks, 0.499);  // half of the surprises lie at 0.001
}

TEST(SurpriseScoreTest, NoneAreNoScore) {
  const SurpriseScore score = ScoreSurprises({std::nan("")});
  EXPECT_EQ(score.values, 0u);
  EXPECT_TRUE(std::isnan(score.ks));
  EXPECT_TRUE(std::isnan(score.alerts));
}

TEST(SurpriseScoreTest, MeanDistanceDoesNotCancelWhereSeriesErrOppositely) {
  const SurpriseScore low = ScoreSurprises({0.125, 0.375}), high = ScoreSurprises({0.625, 0.875});
  EXPECT_EQ(MeanOf({low, high}).ks, 0.625);  // all four together would have 0.125
}

TEST(SurpriseScoreTest, SeriesWithoutSurprisesDoNotEnterTheMean) {
  const SurpriseScore mean = MeanOf({{0.25, 0.5, 4}, {}, {0.75, 0, 12}});
  EXPECT_EQ(mean.ks, 0.5);
  EXPECT_EQ(mean.alerts, 2.0 / 16);
  EXPECT_EQ(mean.values, 16u);
}

}  // namespace
}  // namespace aaren::cli
