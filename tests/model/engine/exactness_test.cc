#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <random>
#include <thread>

#include "model/math/fma.h"
#include "tests/model/engine/only_target.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"
#include "tests/model/engine/tested_engine.h"

namespace aaren::engine {
namespace {

// Each test compares bits, for networks with seasonal inputs and without.
class ExactnessTest : public testing::TestWithParam<bool> {
 protected:
  package::ForecasterConfig Of(package::ForecasterConfig config) const {
    config.seasons = GetParam();
    return config;
  }
  package::ForecasterConfig Tiny() const { return Of(TinyConfig()); }
};

INSTANTIATE_TEST_SUITE_P(Networks, ExactnessTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "WithSeasons" : "WithoutSeasons"; });

std::vector<uint8_t> Wanted(size_t count) { return std::vector<uint8_t>(count, 1); }

// Feeds a series in calls of random sizes, at most `most` tokens each.
Outputs FeedInPieces(Stepper& stepper, Slot slot, const std::vector<float>& series, size_t most, uint64_t seed) {
  std::mt19937_64 random(seed);
  Outputs outputs;
  for (size_t begin = 0; begin < series.size();) {
    const size_t end = std::min(series.size(), begin + 1 + random() % most);
    outputs.Append(stepper.Feed(slot, {series.begin() + begin, series.begin() + end}));
    begin = end;
  }
  return outputs;
}

TEST_P(ExactnessTest, AnySplitOfTokensIntoCallsIsTheSame) {
  Stepper stepper(RandomPackage(Tiny(), 1));
  const std::vector<float> series = Series(2, 500);
  const Slot whole = stepper.Open();
  const Outputs expected = stepper.Feed(whole, series);
  for (size_t most : {1, 7, 64, 200}) {
    const Slot slot = stepper.Open();
    EXPECT_EQ(FeedInPieces(stepper, slot, series, most, most), expected) << most;
    EXPECT_EQ(stepper.RowBytes(slot), stepper.RowBytes(whole)) << most;
  }
}

TEST_P(ExactnessTest, DefaultForecasterIsTheSameInAnySplit) {
  Stepper stepper(RandomPackage(Of({}), 3));
  const std::vector<float> series = Series(4, 150);
  const Outputs expected = stepper.Feed(stepper.Open(), series);
  EXPECT_EQ(FeedInPieces(stepper, stepper.Open(), series, 1, 5), expected);
  EXPECT_EQ(FeedInPieces(stepper, stepper.Open(), series, 13, 6), expected);
}

TEST_P(ExactnessTest, AnyBatchInAnyOrderIsTheSame) {
  constexpr size_t kSessions = 40, kTokens = 90;
  Stepper stepper(RandomPackage(Tiny(), 7), 2 * kSessions);
  std::vector<std::vector<float>> series;
  std::vector<Outputs> expected, got(kSessions);
  std::vector<Slot> slots;
  for (size_t i = 0; i < kSessions; ++i) {
    series.push_back(Series(i, kTokens));
    expected.push_back(stepper.Feed(stepper.Open(), series[i]));
    slots.push_back(stepper.Open());
  }
  std::mt19937_64 random(8);
  std::vector<size_t> order(kSessions), taken(kSessions, 0);
  for (size_t i = 0; i < kSessions; ++i) order[i] = i;
  while (std::any_of(taken.begin(), taken.end(), [](size_t count) { return count < kTokens; })) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Portion> portions;
    std::vector<size_t> who;
    for (size_t i : order) {
      const size_t count = std::min<size_t>(random() % 12, kTokens - taken[i]);
      if (count == 0) continue;
      const auto begin = series[i].begin() + taken[i];
      portions.push_back({.slot = slots[i], .values = {begin, begin + count}, .forecast = Wanted(count)});
      who.push_back(i);
      taken[i] += count;
    }
    const std::vector<Outputs> outputs = stepper.Step(portions);
    for (size_t j = 0; j < who.size(); ++j) got[who[j]].Append(outputs[j]);
  }
  EXPECT_EQ(got, expected);
}

TEST_P(ExactnessTest, ThreadsThatShareAnEngineGetTheSame) {
  Stepper first(RandomPackage(Tiny(), 9));
  const std::vector<float> series = Series(10, 300);
  const Outputs expected = first.Feed(first.Open(), series);
  std::vector<Outputs> got(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < got.size(); ++i) {
    threads.emplace_back([&, i] {
      Stepper stepper(first.engine());
      got[i] = FeedInPieces(stepper, stepper.Open(), series, 9, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Outputs& outputs : got) EXPECT_EQ(outputs, expected);
}

TEST_P(ExactnessTest, ForecastsAskedForEarlierDoNotChangeLaterOnes) {
  Stepper stepper(RandomPackage(Tiny(), 11));
  const std::vector<float> series = Series(12, 200);
  const std::vector<float> last = {1.0f, 2.0f, 3.0f};
  const Slot asked = stepper.Open();
  stepper.Feed(asked, series);
  const Slot silent = stepper.Open();
  stepper.Step({{.slot = silent, .values = series, .forecast = std::vector<uint8_t>(series.size(), 0)}});
  EXPECT_EQ(stepper.Feed(asked, last).forecasts, stepper.Feed(silent, last).forecasts);
  EXPECT_EQ(stepper.RowBytes(asked), stepper.RowBytes(silent));
}

TEST_P(ExactnessTest, WhatIsLearnedDoesNotDependOnWhatIsAskedFor) {
  Stepper stepper(RandomPackage(Tiny(), 21));
  const std::vector<float> series = Series(22, 300);
  const Slot asked = stepper.Open();
  stepper.Feed(asked, series);
  const Slot uncalibrated = stepper.Open();
  stepper.Feed(uncalibrated, series, Refinement::kNetwork);
  EXPECT_EQ(stepper.RowBytes(uncalibrated), stepper.RowBytes(asked));
  const Slot seldom = stepper.Open();
  std::vector<uint8_t> wanted(series.size(), 0);
  for (size_t t = 0; t < series.size(); ++t) wanted[t] = t % 7 == 5;  // including the last token
  stepper.Step({{.slot = seldom, .values = series, .forecast = wanted}});
  EXPECT_EQ(stepper.RowBytes(seldom), stepper.RowBytes(asked));
}

TEST_P(ExactnessTest, CalibrationCanBeSwitchedAtAnyToken) {
  Stepper stepper(RandomPackage(Tiny(), 23));
  const std::vector<float> series = Series(24, 300);
  const Outputs on = stepper.Feed(stepper.Open(), series);
  const Outputs off = stepper.Feed(stepper.Open(), series, Refinement::kNetwork);
  EXPECT_NE(on.forecasts, off.forecasts);
  const Slot slot = stepper.Open();
  Outputs switched = stepper.Feed(slot, {series.begin(), series.begin() + 250}, Refinement::kNetwork);
  switched.Append(stepper.Feed(slot, {series.begin() + 250, series.end()}));
  const auto middle = static_cast<ptrdiff_t>(on.forecasts.size() / 300 * 250);
  EXPECT_TRUE(std::equal(switched.forecasts.begin() + middle, switched.forecasts.end(), on.forecasts.begin() + middle));
  EXPECT_TRUE(std::equal(off.forecasts.begin(), off.forecasts.begin() + middle, switched.forecasts.begin()));
}

TEST(ExactCpuTest, ACpuWithoutFmaIsRefused) {
  const OnlyTarget only(HWY_STATIC_TARGET);
  if (math::HasFma()) GTEST_SKIP() << "every CPU of this kind has a fused multiply-add";
  EXPECT_EQ(NewTestedEngine(RandomPackage(TinyConfig(), 16)).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace aaren::engine
