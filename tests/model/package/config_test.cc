#include "model/package/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaren::package {
namespace {

using ::testing::HasSubstr;

std::string Message(const ForecasterConfig& config) { return std::string(config.Validate().message()); }

TEST(ForecasterConfigTest, DefaultIsValid) { EXPECT_TRUE(ForecasterConfig().Validate().ok()); }

TEST(ForecasterConfigTest, NamesTheSizeOutOfRangeAndItsBounds) {
  EXPECT_EQ(Message({.ring = 1}), "ring is 1, not in [2, 1440]");
  EXPECT_EQ(Message({.fold_every = 0}), "fold_every is 0, not in [1, 4096]");
}

TEST(ForecasterConfigTest, RefusesValuesThatDoNotPairUp) {
  EXPECT_EQ(Message({.heads = 8, .value_width = 120}), "value_width is 120, not divisible by twice heads, which is 8");
}

TEST(ForecasterConfigTest, RefusesAnEvenNumberOfQuantiles) {
  EXPECT_THAT(Message({.quantiles = {0.1f, 0.5f, 0.9f, 0.95f}}), HasSubstr("quantiles has 4 levels"));
}

TEST(ForecasterConfigTest, RefusesQuantilesOutOfOrder) {
  EXPECT_EQ(Message({.quantiles = {0.1f, 0.5f, 0.5f}}), "quantiles[2] is 0.5, not above 0.5 and below 1");
}

TEST(ForecasterConfigTest, RefusesQuantilesWithoutMedianInTheMiddle) {
  EXPECT_THAT(Message({.quantiles = {0.1f, 0.4f, 0.9f}}), HasSubstr("the middle one, is 0.4, not 0.5"));
}

TEST(ForecasterConfigTest, KnotsAreTheSameSharesOfEveryHorizon) {
  using Knots = std::vector<int>;
  EXPECT_EQ(ForecasterConfig({.horizon = 48}).season_knots(), (Knots{1, 2, 4, 8, 16, 24, 36, 48}));
  EXPECT_EQ(ForecasterConfig({.horizon = 96}).season_knots(), (Knots{2, 4, 8, 16, 32, 48, 72, 96}));
  EXPECT_EQ(ForecasterConfig({.horizon = 24}).season_knots(), (Knots{1, 2, 4, 8, 12, 18, 24}));
  EXPECT_EQ(ForecasterConfig({.horizon = 1}).season_knots(), (Knots{1}));
}

}  // namespace
}  // namespace aaren::package
