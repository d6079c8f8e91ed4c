#include "model/math/doubles.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

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

// 997 numbers leave a remainder of every width of vectors.
TEST(DoublesTest, ManyLogsHaveTheBitsOfEachAlone) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-307, 308);
  std::vector<double> x(997), all(x.size());
  for (double& one : x) one = std::pow(10, exponent(random));
  x[0] = 1;
  x[1] = std::numbers::sqrt2 / 2;
  x[2] = std::numeric_limits<double>::min();
  x[3] = std::numeric_limits<double>::max();
  Log(x.data(), x.size(), all.data());
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(std::bit_cast<uint64_t>(all[i]), std::bit_cast<uint64_t>(Log(x[i])));
}

TEST(DoublesTest, ManyExpsHaveTheBitsOfEachAlone) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-20, 2.9), sign(-1, 1);
  std::vector<double> x(99'997), all(x.size());
  for (double& one : x) one = std::copysign(std::pow(10, exponent(random)), sign(random));
  x[0] = 0;
  x[1] = -0.0;
  x[2] = std::numeric_limits<double>::denorm_min();
  x[3] = -701;
  x[4] = 1e30;
  x[5] = 1e-300;
  Exp(x.data(), x.size(), all.data());
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(std::bit_cast<uint64_t>(all[i]), std::bit_cast<uint64_t>(Exp(x[i])));
}

TEST(DoublesTest, ManyTurnsHaveTheBitsOfEachAlone) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1e4, 1e6);
  std::vector<double> turns(99'997), cosine(turns.size()), sine(turns.size());
  for (size_t i = 0; i < turns.size(); ++i) turns[i] = i < 33 ? 0.125 * (static_cast<double>(i) - 16) : uniform(random);
  Turn(turns.data(), turns.size(), cosine.data(), sine.data());
  for (size_t i = 0; i < turns.size(); ++i) {
    const Turned alone = Turn(turns[i]);
    EXPECT_EQ(std::bit_cast<uint64_t>(cosine[i]), std::bit_cast<uint64_t>(alone.cosine)) << turns[i];
    EXPECT_EQ(std::bit_cast<uint64_t>(sine[i]), std::bit_cast<uint64_t>(alone.sine)) << turns[i];
  }
}

}  // namespace
}  // namespace aaren::math
