#include "model/season/seasonal_input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace aaren::season {
namespace {

constexpr SeasonChoice kDay = {.first = 24, .second = 0};

// A wave of period 24 around 50, of 1,488 values.
class SeasonalInputTest : public testing::Test {
 protected:
  SeasonalInputTest() : values_(ValueMemory::kValues) {
    for (size_t t = 0; t < values_.size(); ++t) values_[t] = static_cast<float>(50 + 10 * (t % 24));
    errors_.Reset();
  }

  Past past() const { return {&values_.back(), ValueMemory::kValues - 1, {-1e9f, 1e9f}}; }

  std::vector<double> Numbers(uint64_t seq, const SeasonChoice& choice) const {
    float residuals[kSeasonSources * kJudgedResiduals];
    WriteStandardResiduals(past(), choice, 2, kJudgedResiduals, residuals);
    std::vector<double> numbers(kSeasonalNumbers);
    WriteSeasonalNumbers(seq, errors_, choice, residuals, /*every=*/1, numbers.data());
    return numbers;
  }

  std::vector<float> values_;
  LagErrors errors_;
};

TEST_F(SeasonalInputTest, SourcesAreOnTheScaleOfTheToken) {
  float sources[kSourceCount * 2];
  WriteSources(past(), kDay, 0, 2, sources);
  StandardizeSources(sources, 8, {.center = 60, .scale = 20}, sources);
  EXPECT_EQ(sources[kLastValue * 2], (values_.back() - 60) / 20);
  EXPECT_EQ(sources[kSeasonAgo * 2 + 1], (values_[values_.size() - 23] - 60) / 20);
}

TEST_F(SeasonalInputTest, SourcesAndResidualsCountNoFurtherThanThirtyScales) {
  float sources[kSourceCount * 2], residuals[kSeasonSources * 24];
  WriteSources(past(), kDay, 0, 2, sources);
  StandardizeSources(sources, 8, {.center = 1000, .scale = 1e-3}, sources);
  EXPECT_EQ(*std::max_element(sources, sources + 8), -30);
  values_.back() += 1;
  WriteStandardResiduals(past(), kDay, 1e-3, 24, residuals);
  EXPECT_EQ(residuals[0], 30);
  EXPECT_EQ(residuals[1], 0);
}

TEST_F(SeasonalInputTest, WithoutAnyErrorOrSeasonNothingIsSaid) {
  const std::vector<double> numbers = Numbers(5, {});
  for (size_t i = 0; i < kSeasonalNumbers; ++i) {
    EXPECT_EQ(kTakesLogarithm[i] ? std::log(numbers[i]) : numbers[i], 0) << i;
  }
}

TEST_F(SeasonalInputTest, ErrorAtLagOneIsSaidWithoutASeason) {
  errors_.mean[0] = 0.5f;
  EXPECT_EQ(Numbers(400, {})[10], 0.51);
}

TEST_F(SeasonalInputTest, SeasonIsSaidWhereTheErrorAtLagOneIsUnknown) {
  errors_.mean[1] = 0.5f;    // lag 2
  errors_.mean[21] = 0.25f;  // lag 26
  ASSERT_EQ(kLags[21], 26);
  const std::vector<double> numbers = Numbers(400, {.first = 26});
  EXPECT_EQ(numbers[0], 0.26);
  EXPECT_EQ(numbers[1], 1) << "of which the logarithm is 0";
  EXPECT_EQ(numbers[3], 26);
  EXPECT_EQ(numbers[4], 1);
}

TEST_F(SeasonalInputTest, ResidualsAreMeanSizesOfThosePresent) {
  values_.back() += 8;
  values_[values_.size() - 2] = NAN;
  const std::vector<double> numbers = Numbers(1487, kDay);
  EXPECT_DOUBLE_EQ(numbers[11], 4.0 / 47 + 0.01) << "of 48, of which one is missing";
  EXPECT_DOUBLE_EQ(numbers[12], 4.0 / 11 + 0.01) << "of 12";
  EXPECT_EQ(numbers[15], 1) << "no second season";
}

}  // namespace
}  // namespace aaren::season
