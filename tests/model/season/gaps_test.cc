#include "model/season/gaps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace aaren::season {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

std::vector<float> Bridged(std::vector<float> values, double likeness = 1.0) {
  std::vector<float> standard = values;
  BridgeGaps(values.data(), likeness, values.size(), standard.data());
  return standard;
}

TEST(BridgeGapsTest, NumbersLieOnTheLineBetweenTheNeighbours) {
  EXPECT_EQ(Bridged({1, kMissing, 3, kMissing, kMissing, kMissing, -1}), std::vector<float>({1, 2, 3, 2, 1, 0, -1}));
}

TEST(BridgeGapsTest, NewestValueLastsUntilTheEnd) {
  EXPECT_EQ(Bridged({1, 2, kMissing, kMissing, kMissing}), std::vector<float>({1, 2, 2, 2, 2}));
}

TEST(BridgeGapsTest, UnlikeNeighboursAreDrawnToTheMean) {
  EXPECT_EQ(Bridged({8, kMissing, 8}, 0.25), std::vector<float>({8, 2, 8}));
  EXPECT_EQ(Bridged({8, kMissing}, 0.0), std::vector<float>({8, 0}));
}

TEST(BridgeGapsTest, NumbersAreOnTheScaleOfTheStandardValues) {
  const std::vector<float> values = {1000, kMissing, 3000};
  std::vector<float> standard = {-1, 0, 1};
  BridgeGaps(values.data(), 0.5, 3, standard.data());
  EXPECT_EQ(standard, std::vector<float>({-1, 0, 1}));
  standard = {1, 0, 2};
  BridgeGaps(values.data(), 1.0, 3, standard.data());
  EXPECT_EQ(standard, std::vector<float>({1, 1.5, 2}));
}

TEST(BridgeGapsTest, LongGapsStay) {
  for (const float last : {5.0f, kMissing}) {
    const std::vector<float> bridged = Bridged({1, kMissing, kMissing, kMissing, kMissing, last});
    for (size_t i = 1; i < 5; ++i) EXPECT_TRUE(std::isnan(bridged[i])) << i;
  }
}

TEST(BridgeGapsTest, MissingBeforeTheFirstValueStays) {
  const std::vector<float> bridged = Bridged({kMissing, kMissing, 7});
  EXPECT_TRUE(std::isnan(bridged[0]) && std::isnan(bridged[1]));
  EXPECT_TRUE(std::isnan(Bridged({kMissing})[0]));
}

TEST(LikenessTest, IsOneOfAWalkAndNoneOfNoise) {
  const double change_of_noise = 2.0 / std::sqrt(std::acos(-1.0));  // between two normal numbers with the variance 1
  EXPECT_NEAR(LikenessOf(1.0, change_of_noise), 0.0, 1e-5);
  EXPECT_NEAR(LikenessOf(1e6, change_of_noise), 1.0, 1e-5);
}

TEST(LikenessTest, IsNoneWithoutNeighboursOrVariance) {
  EXPECT_EQ(LikenessOf(3.0, 0.0), 0.0);
  EXPECT_EQ(LikenessOf(0.0, 0.0), 0.0);
}

TEST(LikenessTest, IsTheSquareOfTheCorrelation) {
  const double change = std::sqrt(0.5 / 0.785);  // for a correlation of a half
  EXPECT_NEAR(LikenessOf(1.0, change), 0.25, 1e-12);
}

TEST(MissingSinceTest, CountsBackToTheNewestValue) {
  const std::vector<float> values = {1, 2, kMissing, kMissing};
  EXPECT_EQ(MissingSince(&values[3], 4), 2);
  EXPECT_EQ(MissingSince(&values[1], 2), 0);
}

TEST(MissingSinceTest, WithoutAValueAllAreMissing) {
  const std::vector<float> values = {1, kMissing, kMissing};
  EXPECT_EQ(MissingSince(&values[2], 2), 2);
}

}  // namespace
}  // namespace aaren::season
