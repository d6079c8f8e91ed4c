#include "model/attention/element.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/model/rounding.h"

namespace aaren::attention {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr double kMasked = -std::numeric_limits<double>::infinity();

// For three tokens with values of at most 10; a log-sum-exp is at most 10 as well.
const double kRounding = 10 * SoftmaxRounding(3, kDoubleUnit);

// Expects elements that are equal as sets of tokens: the same output and the same log-sum-exp.
void ExpectSame(const Element<double>& x, const Element<double>& y) {
  EXPECT_THAT(x.Output(), Pointwise(DoubleNear(kRounding), y.Output()));
  EXPECT_NEAR(x.m + std::log(x.c), y.m + std::log(y.c), kRounding);
}

TEST(ElementTest, OutputIsTheSoftmaxAverage) {
  Element<double> element(1);
  element.Fold(0, {10});
  element.Fold(std::log(3), {2});
  EXPECT_THAT(element.Output(), ElementsAre(DoubleNear(0.25 * 10 + 0.75 * 2, kRounding)));
}

TEST(ElementTest, CombineIsAssociative) {
  const Element<double> x(0.3, {1, 2}), y(-2, {3, -4}), z(1.5, {0.5, 6});
  ExpectSame(Combine(Combine(x, y), z), Combine(x, Combine(y, z)));
}

TEST(ElementTest, CombineIsCommutative) {
  const Element<double> x(0.3, {1, 2}), y(-2, {3, -4});
  ExpectSame(Combine(x, y), Combine(y, x));
}

TEST(ElementTest, EmptyElementIsTheIdentity) {
  const Element<double> x(0.3, {1, 2}), empty(2);
  ExpectSame(Combine(x, empty), x);
  ExpectSame(Combine(empty, x), x);
  EXPECT_TRUE(Combine(empty, empty).empty());
}

TEST(ElementTest, EmptyElementGivesZeros) { EXPECT_THAT(Element<double>(2).Output(), ElementsAre(0, 0)); }

TEST(ElementTest, FoldEqualsCombineWithOneToken) {
  Element<double> folded(0.3, {1, 2});
  const Element<double> combined = Combine(folded, Element<double>(4, {-1, 5}));
  folded.Fold(4, {-1, 5});
  ExpectSame(folded, combined);
}

TEST(ElementTest, MaskedTokenChangesNothing) {
  Element<double> element(2);
  element.Fold(kMasked, {7, 7});
  EXPECT_TRUE(element.empty());
  element.Fold(1, {2, 3});
  element.Fold(kMasked, {7, 7});
  EXPECT_THAT(element.Output(), ElementsAre(2, 3));
}

TEST(ElementTest, HugeScoresNeitherOverflowNorVanish) {
  for (const float offset : {1e4f, -1e4f}) {
    Element<float> element(1);
    element.Fold(offset, {1});
    element.Fold(offset, {3});
    EXPECT_THAT(element.Output(), ElementsAre(2)) << "offset " << offset;
  }
}

TEST(ElementTest, FarLargerScoreWins) {
  const Element<float> low(-1e4f, {1}), high(1e4f, {5});
  EXPECT_THAT(Combine(low, high).Output(), ElementsAre(5));
  EXPECT_THAT(Combine(high, low).Output(), ElementsAre(5));
}

TEST(ElementTest, AgingLowersScoresOfWhatIsRemembered) {
  Element<double> aged(0, {1});
  aged.Age(0.5, 4);
  aged.Fold(0, {9});
  Element<double> lowered(-2, {1});
  lowered.Fold(0, {9});
  ExpectSame(aged, lowered);
}

TEST(ElementTest, AgingAloneKeepsTheOutput) {
  Element<double> element(0, {1, -3});
  element.Age(0.5, 1000);
  EXPECT_THAT(element.Output(), ElementsAre(1, -3));
}

}  // namespace
}  // namespace aaren::attention
