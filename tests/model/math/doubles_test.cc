#include "model/math/doubles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace aaren::math {
namespace {

TEST(DoublesTest, LogIsWithinAFewUlpOfTheCLibrary) {
  for (double x = 1e-300; x < 1e300; x *= 1.37) EXPECT_NEAR(Log(x), std::log(x), 4e-16 * std::abs(std::log(x)) + 1e-16);
  for (double x = 0.9; x < 1.1; x += 0.0013) EXPECT_NEAR(Log(x), std::log(x), 1e-16 + 4e-16 * std::abs(std::log(x)));
}

TEST(DoublesTest, ExpIsWithinAFewUlpOfTheCLibrary) {
  for (double x = -699; x < 700; x += 0.373) EXPECT_NEAR(Exp(x) / std::exp(x), 1, 1e-14) << x;
}

TEST(DoublesTest, ExpEndsAtBothSides) {
  EXPECT_EQ(Exp(-701), 0);
  EXPECT_EQ(Exp(-1e30), 0);
  EXPECT_EQ(Exp(1e30), Exp(700));
}

TEST(DoublesTest, TurnGivesCosineAndSine) {
  for (double turns = -3; turns < 3; turns += 0.0137) {
    const Turned turned = Turn(turns);
    EXPECT_NEAR(turned.cosine, std::cos(2 * std::numbers::pi * turns), 1e-14);
    EXPECT_NEAR(turned.sine, std::sin(2 * std::numbers::pi * turns), 1e-14);
  }
}

}  // namespace
}  // namespace aaren::math
