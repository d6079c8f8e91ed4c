#include "model/tasks/forecasting/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace aaren::forecasting {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

TEST(SeasonalErrorTest, IsTheMeanAbsoluteSeasonalDifference) {
  EXPECT_DOUBLE_EQ(SeasonalError(std::vector<double>{1, 5, 4, 1}, 2), (3.0 + 4.0) / 2);
}

TEST(SeasonalErrorTest, SkipsPairsWithAMissingValue) {
  EXPECT_DOUBLE_EQ(SeasonalError(std::vector<double>{1, kMissing, 4, 2, 7}, 1), 3.5);
}

TEST(SeasonalErrorTest, IsMissingWithoutPairs) { EXPECT_TRUE(std::isnan(SeasonalError(std::vector<double>{1, 2}, 2))); }

TEST(ForecastScoreTest, MaseIsTheMedianErrorOverTheSeasonalError) {
  ForecastScore score({0.1, 0.5, 0.9}, 4);
  score.Add(10, std::vector<double>{0, 8, 20});
  score.Add(10, std::vector<double>{0, 14, 20});
  EXPECT_DOUBLE_EQ(score.mase(), 3.0 / 4);
}

TEST(ForecastScoreTest, WqlIsTwiceThePinballLossOverTheMagnitude) {
  ForecastScore score({0.1, 0.5, 0.9}, 1);
  score.Add(10, std::vector<double>{8, 9, 15});
  // 0.1 * 2 + 0.5 * 1 + 0.1 * 5 = 1.2; the mean over three levels is 0.4; twice the mean, over 10.
  EXPECT_NEAR(score.wql(), 0.08, 1e-15);
}

TEST(ForecastScoreTest, CoverageCountsValuesInsideTheOuterQuantiles) {
  ForecastScore score({0.1, 0.5, 0.9}, 1);
  for (const double value : {-1.0, 0.0, 5.0, 11.0}) score.Add(value, std::vector<double>{0, 5, 10});
  EXPECT_DOUBLE_EQ(score.coverage80(), 0.5);
}

TEST(ForecastScoreTest, LevelsFromFloatsAreFound) {
  ForecastScore score({0.1f, 0.5f, 0.9f}, 1);
  score.Add(1, std::vector<double>{0, 1, 2});
  EXPECT_DOUBLE_EQ(score.coverage80(), 1);
}

TEST(ForecastScoreTest, MissingValuesAreNotScored) {
  ForecastScore score({0.5}, 1);
  score.Add(kMissing, std::vector<double>{3});
  EXPECT_EQ(score.points(), 0);
  EXPECT_TRUE(std::isnan(score.mase()));
}

TEST(ForecastScoreTest, PoolingJoinsThePoints) {
  ForecastScore one({0.5}, 1), other({0.5}, 1), all({0.5}, 1);
  one.Add(2, std::vector<double>{1});
  other.Add(10, std::vector<double>{7});
  all.Pool(one);
  all.Pool(other);
  EXPECT_DOUBLE_EQ(all.wql(), 4.0 / 12);
}

TEST(ForecastScoreTest, ConstantHistoryHasNoMase) {
  ForecastScore score({0.5}, SeasonalError(std::vector<double>{3, 3, 3}, 1));
  score.Add(4, std::vector<double>{3});
  EXPECT_TRUE(std::isnan(score.mase()));
}

}  // namespace
}  // namespace aaren::forecasting
