#include "client/cli/evaluate/page/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Labels(const Axis& axis, int most) {
  std::vector<std::string> labels;
  for (const Tick& tick : axis.Ticks(most)) labels.push_back(tick.label);
  return labels;
}

TEST(AxisTest, EndsOfTheDataAreEndsOfTheAxis) {
  const Axis axis({.include = {10, 30}}, 100, 500);
  EXPECT_EQ(axis.Pixel(10), 100);
  EXPECT_EQ(axis.Pixel(20), 300);
  EXPECT_EQ(axis.Pixel(30), 500);
}

TEST(AxisTest, MayRunUpwards) { EXPECT_EQ(Axis({.include = {0, 4}}, 200, 0).Pixel(1), 150); }

TEST(AxisTest, PaddingIsAShareOfTheRange) { EXPECT_EQ(Axis({.include = {0, 1}, .padding = 0.5}, 0, 200).Pixel(0), 50); }

TEST(AxisTest, TicksAreRoundAndNotTooMany) {
  EXPECT_THAT(Labels(Axis({.include = {0.3, 10.2}}, 0, 1), 6), ElementsAre("2", "4", "6", "8", "10"));
  for (double span = 1e-6; span < 1e20; span *= 3.7) {
    const size_t ticks = Axis({.include = {-0.3 * span, 0.7 * span}}, 0, 1).Ticks(8).size();
    EXPECT_TRUE(ticks >= 3 && ticks <= 9) << span << " " << ticks;
  }
}

TEST(AxisTest, LogarithmicAxisSpacesFactorsAlike) {
  const Axis axis({.include = {1, 10000}, .logarithmic = true}, 0, 400);
  EXPECT_NEAR(axis.Pixel(10), 100, 1e-9);
  EXPECT_NEAR(axis.Pixel(1000), 300, 1e-9);
  EXPECT_THAT(Labels(axis, 8), ElementsAre("1", "10", "100", "1,000", "10,000"));
  EXPECT_FALSE(axis.Shows(0));
}

TEST(AxisTest, SharesAreLabelledAsPercentages) {
  EXPECT_THAT(Labels(Axis({.include = {0.7, 0.9}, .percent = true}, 0, 1), 3), ElementsAre("70 %", "80 %", "90 %"));
}

TEST(AxisTest, NamesStandAtWholeNumbersInTheMiddleOfTheirPlaces) {
  const Axis axis({.names = {"a", "b"}}, 0, 220);
  EXPECT_THAT(Labels(axis, 1), ElementsAre("a", "b"));
  EXPECT_NEAR(axis.Pixel(0) + axis.Pixel(1), 220, 1e-9);
}

TEST(AxisTest, FlatDataLiesInTheMiddle) {
  for (double value : {0.0, 42.0, -1e30, 1e-42}) {
    const Axis axis({.include = {value}}, 0, 100);
    EXPECT_NEAR(axis.Pixel(value), 50, 1e-6) << value;
    EXPECT_LE(axis.Ticks(5).size(), 6u) << value;
  }
}

TEST(AxisTest, WhatIsNotFiniteIsPassedOver) {
  Axis axis({.include = {0, 1}}, 0, 100);
  axis.Include(std::nan(""));
  axis.Include(std::numeric_limits<double>::infinity());
  EXPECT_EQ(axis.Pixel(1), 100);
}

TEST(TickLabelTest, HasTheDecimalsOfItsStep) {
  EXPECT_EQ(TickLabel(0.5, 0.25), "0.5");
  EXPECT_EQ(TickLabel(12000, 2000), "12,000");
  EXPECT_EQ(TickLabel(-1e-17, 0.1), "0.0");
  EXPECT_EQ(TickLabel(1.5e30, 5e29), "1.5e+30");
}

}  // namespace
}  // namespace aaren::cli
