#include "model/engine/events/outlook.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <vector>

namespace aaren::events {
namespace {

std::vector<float> SomeNumbers(double tie_logit) {
  std::vector<float> numbers(kTimeNumbers);
  for (size_t k = 0; k < kTimeNumbers; ++k) numbers[k] = 0.37f * static_cast<float>(k % 7) - 1.1f;
  numbers[kTieLogit] = static_cast<float>(tie_logit);
  return numbers;
}

Places SomePlaces(float intervals = 4) {
  Places places = {};
  for (size_t j = 0; j < 5; ++j) {
    places.present[j] = j != 2;
    places.ring[j] = 0.5f * static_cast<float>(j) - 1;
  }
  places.after = 0.3f;
  places.deviation = 0.7f;
  places.intervals = intervals;
  return places;
}

Outlook SomeOutlook(double tie_logit) { return OutlookOf(SomeNumbers(tie_logit).data(), SomePlaces(), std::log(30.0)); }

// The law of outlook.h in the C library's functions: the probability of an interval of at most `gap` seconds.
double ReferenceWithin(const std::vector<float>& numbers, const Places& places, double log_scale, double gap) {
  const auto softplus = [](double x) { return std::log1p(std::exp(x)) + 0.03; };
  double furthest = 0, whole = 0, below = 0;
  for (size_t j = 0; j < kRing; ++j) {
    if (places.present[j]) furthest = std::max<double>(furthest, places.ring[j]);
  }
  furthest += 2 + places.intervals;
  const double z = std::log(gap) - log_scale, place = z > 0 ? z * (1 + 1 / double{places.intervals}) : z;
  const auto add = [&](double logit, double at, double spread, bool weibull) {
    const double weight = std::exp(logit), x = (place - std::min(at, furthest)) / spread;
    whole += weight;
    below += weight * (weibull ? -std::expm1(-std::exp(x)) : 0.5 * std::erfc(-x / std::numbers::sqrt2));
  };
  size_t k = 0;
  for (size_t j = 0; j < 4; ++j) add(numbers[k++], numbers[25 + j], softplus(numbers[29 + j]), false);
  for (size_t j = 0; j < 4; ++j) add(numbers[k++], numbers[33 + j], softplus(numbers[37 + j]), true);
  for (size_t j = 0; j < 16; ++j, ++k) {
    if (places.present[j]) add(numbers[k], places.ring[j], softplus(numbers[41]), false);
  }
  add(numbers[k], places.after + numbers[42], places.deviation * std::exp(numbers[43]) + 0.03, false);
  const double tie = 1 / (1 + std::exp(-double{numbers[44]}));
  return tie + (1 - tie) * below / whole;
}

TEST(OutlookTest, WeightsSumToOneAndAbsentCopiesHaveNone) {
  const Outlook outlook = SomeOutlook(-2);
  double sum = 0;
  for (const float weight : outlook.weight) sum += weight;
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_EQ(outlook.weight[kLogNormals + kWeibulls + 2], 0);
  EXPECT_EQ(outlook.weight[kLogNormals + kWeibulls + 5], 0);
  EXPECT_GT(outlook.weight[kLogNormals + kWeibulls + 1], 0);
}

TEST(OutlookTest, ProbabilityGrowsFromTheTiesToOneWithTheDensityAsSlope) {
  const Outlook outlook = SomeOutlook(-1);
  EXPECT_EQ(ProbabilityWithin(outlook, 0), outlook.tie);
  EXPECT_NEAR(ProbabilityWithin(outlook, 1e15), 1, 1e-6);
  for (double gap = 1e-3; gap < 1e6; gap *= 3) {
    const double h = 1e-5;
    const double slope =
        (ProbabilityWithin(outlook, gap * std::exp(h)) - ProbabilityWithin(outlook, gap * std::exp(-h))) / (2 * h);
    EXPECT_NEAR(slope, (1 - outlook.tie) * std::exp(LogDensity(outlook, gap)), 2e-5) << gap;
  }
}

TEST(OutlookTest, AgreesWithTheCLibrary) {
  std::vector<float> numbers = SomeNumbers(-2);
  numbers[kNormalMean + 3] = 19;  // far beyond all intervals
  for (const float intervals : {1.0f, 2.0f, 7.5f, 100.0f}) {
    const Places places = SomePlaces(intervals);
    const Outlook outlook = OutlookOf(numbers.data(), places, std::log(30.0));
    for (double gap = 1e-3; gap < 1e12; gap *= 2.7) {
      EXPECT_NEAR(ProbabilityWithin(outlook, gap), ReferenceWithin(numbers, places, std::log(30.0), gap), 1e-6) << gap;
    }
  }
}

TEST(OutlookTest, LongIntervalsOfAYoungSessionAreDrawnIn) {
  const std::vector<float> numbers = SomeNumbers(-20);
  const Outlook young = OutlookOf(numbers.data(), SomePlaces(2), 0);
  const Outlook old = OutlookOf(numbers.data(), SomePlaces(1e9f), 0);
  EXPECT_NEAR(std::log(IntervalAt(young, 0.95)), std::log(IntervalAt(old, 0.95)) * 2 / 3, 1e-6);
  EXPECT_NEAR(IntervalAt(young, 0.05), IntervalAt(old, 0.05), 1e-6);
}

TEST(OutlookTest, NoComponentLiesFarBeyondTheLongestInterval) {
  std::vector<float> numbers = SomeNumbers(-2);
  for (const size_t number : {size_t{kNormalMean} + 3, size_t{kWeibullMean} + 1, size_t{kAfterShift}}) {
    numbers[number] = 19;
  }
  const Outlook outlook = OutlookOf(numbers.data(), SomePlaces(3), 0);
  EXPECT_EQ(*std::max_element(std::begin(outlook.at), std::end(outlook.at)), 1.0f + 2 + 3);
}

TEST(OutlookTest, AnIntervalIsAtItsLevel) {
  const Outlook outlook = SomeOutlook(-1);
  for (double level = 0.05; level < 1; level += 0.05) {
    const double gap = IntervalAt(outlook, level);
    if (level <= outlook.tie) {
      EXPECT_EQ(gap, 0);
    } else {
      EXPECT_NEAR(ProbabilityWithin(outlook, gap), level, 1e-7);
    }
  }
}

TEST(OutlookTest, TheNormalDistributionIsExactToNineDigits) {
  Outlook outlook = kNoOutlook;
  outlook.tie = 0;
  outlook.weight[0] = 1;
  outlook.spread[0] = 1;
  for (double z = -7.9; z < 7.9; z += 0.0731) {
    EXPECT_NEAR(ProbabilityWithin(outlook, std::exp(z)), 0.5 * std::erfc(-z / std::numbers::sqrt2), 1e-9) << z;
  }
}

TEST(OutlookTest, SilenceLeavesTheIntervalsThatAreLonger) {
  const Outlook outlook = SomeOutlook(-1);
  const double silence = IntervalAt(outlook, 0.6);
  EXPECT_NEAR(ProbabilityAfterSilence(outlook, silence, IntervalAt(outlook, 0.8) - silence), 0.5, 1e-6);
  EXPECT_NEAR(IntervalAfterSilence(outlook, silence, 0.5), IntervalAt(outlook, 0.8), 1e-5 * silence);
  EXPECT_NEAR(ProbabilityAfterSilence(outlook, silence, 0), 0, 1e-9);
}

TEST(OutlookTest, ASilenceBeyondTheForecastHasAFiniteEnd) {
  const Outlook outlook = SomeOutlook(-1);
  const double later = IntervalAfterSilence(outlook, 1e14, 0.5), chance = ProbabilityAfterSilence(outlook, 1e14, 1e14);
  EXPECT_GE(later, 1e14);
  EXPECT_TRUE(std::isfinite(later));
  EXPECT_GE(chance, 0);
  EXPECT_LE(chance, 1);
}

TEST(OutlookTest, SurpriseIsThePlaceInTheForecast) {
  EXPECT_TRUE(std::isnan(SurpriseOf(kNoOutlook, 1)));
  const Outlook outlook = SomeOutlook(-1);
  EXPECT_EQ(SurpriseOf(outlook, 0), outlook.tie / 2.0);
  EXPECT_EQ(SurpriseOf(outlook, 5), ProbabilityWithin(outlook, 5));
}

}  // namespace
}  // namespace aaren::events
