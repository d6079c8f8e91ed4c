#include "model/engine/forecasting/refinement/surprise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace aaren::engine {
namespace {

float At(std::vector<float> quantiles, float value) { return Surprise({0.1f, 0.5f, 0.9f}, quantiles.data(), value); }

TEST(SurpriseTest, QuantilesHaveTheirLevels) {
  EXPECT_EQ(At({1, 2, 4}, 1), 0.1f);
  EXPECT_EQ(At({1, 2, 4}, 2), 0.5f);
  EXPECT_EQ(At({1, 2, 4}, 4), 0.9f);
}

TEST(SurpriseTest, BetweenQuantilesIsLinear) {
  EXPECT_FLOAT_EQ(At({1, 2, 4}, 1.25f), 0.2f);
  EXPECT_FLOAT_EQ(At({1, 2, 4}, 3), 0.7f);
}

TEST(SurpriseTest, TailsFallAsTheThirdPower) {
  EXPECT_FLOAT_EQ(At({1, 2, 4}, -2), 0.1f / 8.0f);
  EXPECT_FLOAT_EQ(At({1, 2, 4}, 16), 1.0f - 0.1f / 27.0f);
  EXPECT_LT(At({1, 2, 4}, -1e30f), 1e-30f);
  EXPECT_EQ(At({1, 2, 4}, 1e30f), 1.0f);
}

TEST(SurpriseTest, TailsLeaveTheQuantileAsAnExponentialWould) {
  EXPECT_NEAR(At({1, 2, 4}, 0.99f), 0.1f * std::exp(-0.01f), 1e-5f);
}

TEST(SurpriseTest, FlatStretchIsTheMiddleOfItsLevels) {
  EXPECT_FLOAT_EQ(At({2, 2, 4}, 2), 0.3f);
  EXPECT_FLOAT_EQ(At({1, 2, 2}, 2), 0.7f);
  EXPECT_EQ(At({2, 2, 2}, 2), 0.5f);
}

TEST(SurpriseTest, BeyondAFlatEndASixteenthOfTheSpreadIsTheGap) {
  EXPECT_FLOAT_EQ(At({2, 2, 18}, -1), 0.1f / 8.0f);
  EXPECT_FLOAT_EQ(At({2, 18, 18}, 21), 1.0f - 0.1f / 8.0f);
}

TEST(SurpriseTest, BeyondEqualQuantilesIsCertain) {
  EXPECT_EQ(At({2, 2, 2}, 1), 0.0f);
  EXPECT_EQ(At({2, 2, 2}, 3), 1.0f);
}

TEST(SurpriseTest, MissingValueOrForecastHasNone) {
  EXPECT_TRUE(std::isnan(At({1, 2, 4}, NAN)));
  EXPECT_TRUE(std::isnan(At({NAN, NAN, NAN}, 1)));
}

TEST(SurpriseTest, ExtremeQuantilesDoNotOverflow) {
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(At({-most, 0, most}, 0), 0.5f);
  EXPECT_FLOAT_EQ(At({-most, most, most}, 0), 0.3f);
}

}  // namespace
}  // namespace aaren::engine
