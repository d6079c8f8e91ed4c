#include "model/season/sources.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/season/value_memory.h"

namespace aaren::season {
namespace {

constexpr size_t kHorizon = 48;
constexpr SeasonChoice kDayAndWeek = {.first = 24, .second = 168};

// Value t of 1,488 is t: a forecast tells the used value.
class SourcesTest : public testing::Test {
 protected:
  SourcesTest() : values_(ValueMemory::kValues) {
    for (size_t t = 0; t < values_.size(); ++t) values_[t] = static_cast<float>(t);
  }

  // The value `age` tokens before the newest.
  float& Ago(int age) { return values_[values_.size() - 1 - static_cast<size_t>(age)]; }

  Past past() const { return {&values_.back(), ValueMemory::kValues - 1, typical_, far_}; }

  std::vector<float> Sources(const SeasonChoice& choice) {
    std::vector<float> out(kSourceCount * kHorizon);
    WriteSources(past(), choice, /*level=*/-5, kHorizon, out.data());
    return out;
  }

  std::vector<float> Residuals(const SeasonChoice& choice, size_t count) {
    std::vector<float> out(3 * count);
    WriteResiduals(past(), choice, count, out.data());
    return out;
  }

  std::vector<float> values_;
  Bounds typical_ = {-1e9f, 1e9f};
  int far_ = 0;
};

TEST_F(SourcesTest, TheLastValueStays) {
  for (size_t j : {0, 1, 47}) EXPECT_EQ(Sources(kDayAndWeek)[kLastValue * kHorizon + j], Ago(0));
}

TEST_F(SourcesTest, ASeasonAgoIsContinuedAsOftenAsTheHorizonNeeds) {
  const std::vector<float> sources = Sources(kDayAndWeek);
  EXPECT_EQ(sources[kSeasonAgo * kHorizon], Ago(23));
  EXPECT_EQ(sources[kSeasonAgo * kHorizon + 23], Ago(0));
  EXPECT_EQ(sources[kSeasonAgo * kHorizon + 24], Ago(23));
  EXPECT_EQ(sources[kSeasonAgo * kHorizon + 47], Ago(0));
  EXPECT_EQ(sources[kSecondAgo * kHorizon + 47], Ago(120));
}

TEST_F(SourcesTest, TheMeanIsOfFourSeasons) {
  EXPECT_EQ(Sources(kDayAndWeek)[kSeasonsMean * kHorizon], (Ago(23) + Ago(47) + Ago(71) + Ago(95)) / 4);
}

TEST_F(SourcesTest, TheMeanIsOfAsManySeasonsAsAreRemembered) {
  EXPECT_EQ(Sources({.first = 672})[kSeasonsMean * kHorizon], (Ago(671) + Ago(1343)) / 2);
  EXPECT_EQ(Sources({.first = 1440})[kSeasonsMean * kHorizon], Ago(1439));
}

TEST_F(SourcesTest, AMissingValueIsTakenFromASeasonBefore) {
  Ago(23) = NAN;
  const std::vector<float> sources = Sources(kDayAndWeek);
  EXPECT_EQ(sources[kSeasonAgo * kHorizon], Ago(47));
  EXPECT_EQ(sources[kSeasonsMean * kHorizon], (Ago(47) + Ago(71) + Ago(95)) / 3);
}

TEST_F(SourcesTest, WhatIsNotTypicalDoesNotComeAgain) {
  Ago(23) = -9999;
  typical_ = {1000, 2000};
  EXPECT_EQ(Sources(kDayAndWeek)[kSeasonAgo * kHorizon], Ago(47));
}

TEST_F(SourcesTest, AGlitchIsNotTheLastValue) {
  far_ = 2;
  EXPECT_EQ(Sources(kDayAndWeek)[kLastValue * kHorizon], Ago(2));
  EXPECT_EQ(Sources(kDayAndWeek)[kSeasonAgo * kHorizon + 23], Ago(24)) << "a season on";
}

TEST_F(SourcesTest, WithoutASeasonThereIsTheLastValuePresent) {
  Ago(0) = Ago(1) = NAN;
  for (float value : Sources({})) EXPECT_EQ(value, Ago(2));
}

TEST_F(SourcesTest, WithoutAnyValueThereIsTheLevel) {
  for (float& value : values_) value = NAN;
  for (float value : Sources(kDayAndWeek)) EXPECT_EQ(value, -5);
}

TEST_F(SourcesTest, ResidualsAreDifferencesFromWhatWasOneStepAhead) {
  const std::vector<float> residuals = Residuals(kDayAndWeek, 48);
  for (size_t i = 0; i < 48; ++i) {
    EXPECT_EQ(residuals[i], 24) << i;                               // a season
    EXPECT_EQ(residuals[48 + i], (24 + 48 + 72 + 96) / 4.0f) << i;  // mean of four seasons
    EXPECT_EQ(residuals[96 + i], 168) << i;
  }
}

TEST_F(SourcesTest, AResidualOfAMissingValueIsMissing) {
  Ago(24 + 3) = NAN;
  const std::vector<float> residuals = Residuals(kDayAndWeek, 24);
  EXPECT_TRUE(std::isnan(residuals[3]));
  EXPECT_EQ(residuals[24 + 3], (48 + 72 + 96) / 3.0f);
  EXPECT_EQ(residuals[4], 24);
}

TEST_F(SourcesTest, TheLongestSeasonHasItsResiduals) {
  const std::vector<float> residuals = Residuals({.first = 1440}, 48);
  for (size_t i = 0; i < 48; ++i) EXPECT_EQ(residuals[i], 1440) << i;
  for (size_t i = 96; i < 144; ++i) EXPECT_TRUE(std::isnan(residuals[i])) << i;  // no second season
}

}  // namespace
}  // namespace aaren::season
