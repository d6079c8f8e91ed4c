#include "client/cli/evaluate/scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace aaren::cli {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

const double kNone = std::nan("");

TEST(ScoresTest, PinballLossWeighsTheTwoSidesByLevel) {
  ForecastScore score({0.1, 0.5, 0.9});
  score.AddWindow(std::vector<double>{10.0}, std::vector<double>{6, 10, 12}, 1);
  // 0.1 * 4 at the low level, 0.1 * 2 at the high one; 2 * (0.6 / 3) / 10.
  EXPECT_THAT(score.wql(), DoubleNear(0.04, 1e-12));
}

TEST(ScoresTest, WqlOfAPointIsItsAbsoluteErrorOverTheMagnitude) {
  ForecastScore score({0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9});
  score.AddPoints(std::vector<double>{4, -6}, std::vector<double>{5, -6}, 1);
  EXPECT_THAT(score.wql(), DoubleNear(0.1, 1e-12));
}

TEST(ScoresTest, MaseIsTheMeanOverWindowsEachWithItsOwnScale) {
  ForecastScore score({0.5});
  score.AddPoints(std::vector<double>{1, 1}, std::vector<double>{2, 4}, 2);  // 2 / 2
  score.AddPoints(std::vector<double>{1, 1}, std::vector<double>{1, 2}, 1);  // 0.5 / 1
  EXPECT_THAT(score.mase(), DoubleNear(0.75, 1e-12));
}

TEST(ScoresTest, SqlIsTheMeanOverWindowsOfTheScaledLoss) {
  ForecastScore score({0.1, 0.5, 0.9});
  score.AddWindow(std::vector<double>{10}, std::vector<double>{6, 10, 12}, 4);  // 2 * (0.4 + 0 + 0.2) / 3 / 4 = 0.1
  score.AddWindow(std::vector<double>{1}, std::vector<double>{1, 1, 4}, 1);     // 2 * 0.3 / 3 = 0.2
  EXPECT_THAT(score.sql(), DoubleNear(0.15, 1e-12));
}

TEST(ScoresTest, SqlOfAPointIsItsMase) {
  ForecastScore score({0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9});
  const WindowScore window = score.AddPoints(std::vector<double>{4, -6}, std::vector<double>{5, -6}, 2);
  EXPECT_THAT(window.sql, DoubleNear(window.mase, 1e-12));
}

TEST(ScoresTest, MissingValuesAreNotScored) {
  ForecastScore score({0.5});
  score.AddPoints(std::vector<double>{kNone, 3}, std::vector<double>{100, 4}, 1);
  EXPECT_EQ(score.mase(), 1);
  EXPECT_THAT(score.wql(), DoubleNear(1.0 / 3, 1e-12));
}

TEST(ScoresTest, FlatHistoryHasNoMase) {
  ForecastScore score({0.5});
  score.AddPoints(std::vector<double>{1}, std::vector<double>{2}, 0);
  EXPECT_TRUE(std::isnan(score.mase()));
  EXPECT_TRUE(std::isnan(score.sql()));
  EXPECT_EQ(score.windows(), 1u);
}

TEST(ScoresTest, CoverageCountsTheEndsOfTheInterval) {
  ForecastScore score({0.1f, 0.5f, 0.9f});
  score.AddWindow(std::vector<double>{1, 3, 4, 0}, std::vector<double>{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}, 1);
  EXPECT_EQ(score.coverage(), 0.5);
}

TEST(ScoresTest, CoverageIsKnownByStepToo) {
  ForecastScore score({0.1, 0.5, 0.9});
  const std::vector<double> quantiles = {1, 2, 3, 1, 2, 3};
  score.AddWindow(std::vector<double>{2, 4}, quantiles, 1);
  score.AddWindow(std::vector<double>{4, kNone}, quantiles, 1);
  EXPECT_EQ(score.steps(), 2u);
  EXPECT_EQ(score.coverage(0), 0.5);
  EXPECT_EQ(score.coverage(1), 0);
}

TEST(ScoresTest, WindowsSumToTheWhole) {
  ForecastScore score({0.1, 0.5, 0.9});
  const WindowScore a = score.AddWindow(std::vector<double>{10}, std::vector<double>{6, 11, 12}, 2);
  const WindowScore b = score.AddWindow(std::vector<double>{-3}, std::vector<double>{-4, -3, -1}, 1);
  EXPECT_EQ(a.mase, 0.5);
  EXPECT_THAT(score.mase(), DoubleNear((a.mase + b.mase) / 2, 1e-12));
  EXPECT_THAT(score.wql(), DoubleNear((a.loss + b.loss) / (a.magnitude + b.magnitude), 1e-12));
}

TEST(ScoresTest, WidestIntervalIsCoveredWhateverItsLevels) {
  ForecastScore score({0.025f, 0.1f, 0.5f, 0.9f, 0.975f});
  const std::vector<double> quantiles = {0, 1, 2, 3, 4};
  score.AddWindow(std::vector<double>{3.5}, quantiles, 1);
  score.AddWindow(std::vector<double>{4.5}, quantiles, 1);
  EXPECT_THAT(score.interval(), DoubleNear(0.95, 1e-6));
  EXPECT_EQ(score.coverage(), 0.5);
}

TEST(ScoresTest, EachLevelHasItsLossItsShareBelowAndItsInterval) {
  ForecastScore score({0.1, 0.5, 0.9});
  const std::vector<double> quantiles = {1, 2, 3};
  for (double value : {0.5, 2.0, 2.5, 7.0}) score.AddWindow(std::vector<double>{value}, quantiles, 1);
  const std::vector<LevelScore> levels = score.ByLevel();
  ASSERT_EQ(levels.size(), 3u);
  // Errors at the median: 1.5, 0, 0.5 and 5, half of each a loss; twice the losses over a magnitude of 12.
  EXPECT_THAT(levels[1].wql, DoubleNear(7.0 / 12, 1e-12));
  EXPECT_EQ(levels[0].below, 0.25);
  EXPECT_EQ(levels[1].below, 0.5);
  EXPECT_EQ(levels[2].below, 0.75);
  EXPECT_EQ(levels[2].inside, 0.5);
  EXPECT_TRUE(std::isnan(levels[0].inside) && std::isnan(levels[1].inside));
  EXPECT_THAT((levels[0].wql + levels[1].wql + levels[2].wql) / 3, DoubleNear(score.wql(), 1e-12));
}

TEST(ScoresTest, CoverageNeedsItsLevels) {
  ForecastScore score({0.25, 0.5, 0.9});
  score.AddPoints(std::vector<double>{1}, std::vector<double>{1}, 1);
  EXPECT_TRUE(std::isnan(score.coverage()));
}

TEST(ScoresTest, PoolingWeighsSeriesByTheirMagnitude) {
  ForecastScore small({0.5});
  small.AddPoints(std::vector<double>{1}, std::vector<double>{2}, 1);  // error 1 of 1
  ForecastScore large({0.5});
  large.AddPoints(std::vector<double>{9}, std::vector<double>{9}, 1);  // error 0 of 9
  small.Pool(large);
  EXPECT_THAT(small.wql(), DoubleNear(0.1, 1e-12));
}

TEST(ScoresTest, SeasonalErrorGrowsWithThePrefix) {
  const std::vector<double> series = {1, 2, 4, 8, kNone, 9};
  SeasonalError error(series, 2);
  EXPECT_TRUE(std::isnan(error.Before(2)));
  EXPECT_EQ(error.Before(3), 3);    // |4 - 1|
  EXPECT_EQ(error.Before(4), 4.5);  // |8 - 2| too
  EXPECT_EQ(error.Before(6), 10.0 / 3);
}

TEST(ScoresTest, LastValueIsTheLatestPresentOne) {
  EXPECT_THAT(LastValue(std::vector<double>{1, 5, kNone}, 2), ElementsAre(5, 5));
  EXPECT_TRUE(std::isnan(LastValue(std::vector<double>{kNone}, 1)[0]));
}

TEST(ScoresTest, SeasonalNaiveRepeatsTheLastSeason) {
  const std::vector<double> history = {9, 9, 9, 1, 2, 3};
  EXPECT_THAT(SeasonalNaive(history, 3, 7), ElementsAre(1, 2, 3, 1, 2, 3, 1));
}

TEST(ScoresTest, SeasonalNaiveLooksPastAMissingValueToTheSeasonBefore) {
  const std::vector<double> history = {7, 8, kNone, 2};
  EXPECT_THAT(SeasonalNaive(history, 2, 2), ElementsAre(7, 2));
}

TEST(ScoresTest, SeasonLongerThanTheHistoryHasNoForecastBeforeItsPhase) {
  const std::vector<double> points = SeasonalNaive(std::vector<double>{1, 2}, 3, 3);
  EXPECT_TRUE(std::isnan(points[0]));
  EXPECT_EQ(points[1], 1);
  EXPECT_EQ(points[2], 2);
}

TEST(ScoresTest, DriftGoesOnAlongTheLineThroughFirstAndLastValue) {
  EXPECT_THAT(Drift(std::vector<double>{1, 9, 0, 7}, 2), ElementsAre(9, 11));
}

TEST(ScoresTest, DriftPassesOverMissingValuesAtBothEnds) {
  EXPECT_THAT(Drift(std::vector<double>{kNone, 1, kNone, 5, kNone}, 2), ElementsAre(9, 11));
}

TEST(ScoresTest, DriftOfOneValueStays) {
  EXPECT_THAT(Drift(std::vector<double>{4, kNone}, 2), ElementsAre(4, 4));
  EXPECT_TRUE(std::isnan(Drift(std::vector<double>{kNone}, 1)[0]));
}

}  // namespace
}  // namespace aaren::cli
