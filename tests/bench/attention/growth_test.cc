#include "tests/bench/attention/growth.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aaren::bench {
namespace {

// y = f(x) at forty logarithmically spaced x in 1 .. 10,000.
template <typename Function>
std::vector<GrowthPoint> Curve(Function f) {
  std::vector<GrowthPoint> points;
  for (int i = 0; i <= 40; ++i) points.push_back({std::pow(10.0, i / 10.0), f(std::pow(10.0, i / 10.0))});
  return points;
}

TEST(GrowthTest, ConstantHasExponentZero) {
  EXPECT_NEAR(GrowthExponent(Curve([](double) { return 2080.0; })), 0, 1e-12);
}

TEST(GrowthTest, PowerHasItsExponentWhateverTheUnit) {
  EXPECT_NEAR(GrowthExponent(Curve([](double x) { return 3e-7 * std::pow(x, 1.7); })), 1.7, 1e-9);
}

TEST(GrowthTest, OnlyTheLastDecadeCounts) {
  EXPECT_NEAR(GrowthExponent(Curve([](double x) { return x < 999 ? 1e9 : x * x; })), 2, 1e-9);
}

// Between 1,000 and 10,000 the slope of x + x^2 / 4000 rises from 1.2 to 1.71.
TEST(GrowthTest, SumOfTermsLiesBetweenTheirExponents) {
  const double exponent = GrowthExponent(Curve([](double x) { return x + x * x / 4000; }));
  EXPECT_GT(exponent, 1.2);
  EXPECT_LT(exponent, 1.71);
}

TEST(GrowthTest, NoiseOfTenPercentMovesTheExponentLittle) {
  int i = 0;
  EXPECT_NEAR(GrowthExponent(Curve([&i](double x) { return x * (++i % 2 == 0 ? 1.1 : 0.9); })), 1, 0.03);
}

}  // namespace
}  // namespace aaren::bench
