#include "model/tasks/forecasting/parts/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aaren::forecasting {
namespace {

constexpr int kDraws = 100000;

TEST(RandomTest, SameSeedAndIndexGiveTheSameNumbers) {
  Random one(5, 9), two(5, 9);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(one.Bits(), two.Bits());
}

TEST(RandomTest, NumbersAreTheSameEverywhere) {
  Random random(1, 2);
  EXPECT_EQ(random.Bits(), 0xa74ec8e85bfcb84bu);
}

TEST(RandomTest, NeighbouringIndicesGiveOtherNumbers) {
  Random one(5, 9), two(5, 10), three(6, 9);
  EXPECT_NE(one.Bits(), two.Bits());
  EXPECT_NE(one.Bits(), three.Bits());
}

TEST(RandomTest, NormalHasMeanZeroAndDeviationOne) {
  Random random(1, 1);
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = random.Normal();
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
}

// The test covers the tails, because a ziggurat is easily wrong beyond its last layer.
TEST(RandomTest, NormalHasTheTailsOfANormal) {
  Random random(1, 1);
  int beyond_two = 0, beyond_four = 0;
  double fourth = 0;
  for (int i = 0; i < 10 * kDraws; ++i) {
    const double z = random.Normal();
    beyond_two += std::fabs(z) > 2;
    beyond_four += std::fabs(z) > 4;
    fourth += z * z * z * z;
  }
  EXPECT_NEAR(beyond_two, 45500, 1000);
  EXPECT_NEAR(beyond_four, 63, 32);
  EXPECT_NEAR(fourth / (10 * kDraws), 3, 0.05);
}

TEST(RandomTest, StudentTHasItsVariance) {
  Random random(1, 1);
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) squares += std::pow(random.StudentT(8), 2);
  EXPECT_NEAR(squares / kDraws, 8.0 / 6, 0.05);
}

TEST(RandomTest, GammaHasItsMeanAndVariance) {
  Random random(1, 1);
  for (const double shape : {0.4, 1.0, 7.0}) {
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double value = random.Gamma(shape);
      ASSERT_GE(value, 0);
      sum += value;
      squares += value * value;
    }
    EXPECT_NEAR(sum / kDraws, shape, 0.03 * shape);
    EXPECT_NEAR(squares / kDraws - std::pow(sum / kDraws, 2), shape, 0.06 * shape);
  }
}

TEST(RandomTest, NegativeBinomialSpreadsMoreThanItsMean) {
  Random random(1, 1);
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double count = random.NegativeBinomial(10, 2);
    sum += count;
    squares += count * count;
  }
  EXPECT_NEAR(sum / kDraws, 10, 0.2);
  EXPECT_NEAR(squares / kDraws - 100, 10 + 100 / 2, 5);
}

TEST(RandomTest, PoissonHasItsMeanOnBothSidesOfTheNormalApproximation) {
  Random random(1, 1);
  for (const double mean : {0.5, 20.0, 200.0}) {
    double sum = 0;
    for (int i = 0; i < kDraws / 10; ++i) sum += random.Poisson(mean);
    EXPECT_NEAR(sum / (kDraws / 10), mean, 0.05 * mean);
  }
}

TEST(RandomTest, BelowReachesEveryNumberAndNoOther) {
  Random random(1, 1);
  int counts[5] = {};
  for (int i = 0; i < 1000; ++i) ++counts[random.Below(5)];
  for (const int count : counts) EXPECT_NEAR(count, 200, 80);
}

}  // namespace
}  // namespace aaren::forecasting
