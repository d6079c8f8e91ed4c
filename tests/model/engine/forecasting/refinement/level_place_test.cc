#include "model/engine/forecasting/refinement/level_place.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/engine/forecasting/refinement/surprise.h"

namespace aaren::engine {
namespace {

const std::vector<float> kLevels = {0.1f, 0.5f, 0.9f};

float At(std::vector<float> quantiles, float level) { return LevelPlace(kLevels, level).In(quantiles.data()); }

TEST(LevelPlaceTest, LevelsOfTheForecastHaveItsQuantiles) {
  EXPECT_EQ(At({1, 2, 4}, 0.1f), 1);
  EXPECT_EQ(At({1, 2, 4}, 0.5f), 2);
  EXPECT_EQ(At({1, 2, 4}, 0.9f), 4);
}

TEST(LevelPlaceTest, BetweenLevelsIsLinear) {
  EXPECT_FLOAT_EQ(At({1, 2, 4}, 0.2f), 1.25f);
  EXPECT_FLOAT_EQ(At({1, 2, 4}, 0.7f), 3);
}

TEST(LevelPlaceTest, TailsFollowTheThirdRoot) {
  EXPECT_FLOAT_EQ(At({1, 2, 4}, 0.1f / 8.0f), -2);
  EXPECT_NEAR(At({1, 2, 4}, 1.0f - 0.1f / 8.0f), 10, 1e-4f);
}

TEST(LevelPlaceTest, SurpriseOfAQuantileIsItsLevel) {
  const std::vector<float> quantiles = {-3, 2, 4};
  for (int i = 1; i < 200; ++i) {
    const float level = static_cast<float>(i) / 200.0f;
    const float quantile = LevelPlace(kLevels, level).In(quantiles.data());
    EXPECT_NEAR(Surprise(kLevels, quantiles.data(), quantile), level, 1e-6f);
  }
}

TEST(LevelPlaceTest, QuantilesNeverDescend) {
  for (const std::vector<float>& quantiles : {std::vector<float>{1, 1, 1e30f}, {-1e-20f, 0, 0}, {2, 2, 2}}) {
    float below = -INFINITY;
    for (int i = 1; i < 1000; ++i) {
      const float quantile = LevelPlace(kLevels, static_cast<float>(i) / 1000.0f).In(quantiles.data());
      EXPECT_GE(quantile, below) << i;
      below = quantile;
    }
  }
}

TEST(LevelPlaceTest, FarthestQuantilesStayFinite) {
  EXPECT_TRUE(std::isfinite(At({-3e38f, 0, 3e38f}, 0.005f)));
  EXPECT_TRUE(std::isfinite(At({-3e38f, 0, 3e38f}, 0.995f)));
}

TEST(LevelPlaceTest, MissingForecastHasNone) { EXPECT_TRUE(std::isnan(At({NAN, NAN, NAN}, 0.3f))); }

}  // namespace
}  // namespace aaren::engine
