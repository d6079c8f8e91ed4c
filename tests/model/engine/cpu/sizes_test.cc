// Runs and batches far larger than a tile have the bits of the same tokens stepped alone.

#include <gtest/gtest.h>

#include <vector>

#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

package::ForecasterConfig WithSeasons(package::ForecasterConfig config) {
  config.seasons = true;
  return config;
}

void ExpectALongRunIsTheSame(const package::ForecasterConfig& config) {
  Stepper stepper(RandomPackage(config, 1));
  const std::vector<float> series = Series(2, 10'000);
  const Slot whole = stepper.Open(), single = stepper.Open();
  const Outputs expected = stepper.Feed(whole, series);
  Outputs got;
  for (const float value : series) got.Append(stepper.Feed(single, {value}));
  EXPECT_EQ(got, expected);
  EXPECT_EQ(stepper.RowBytes(single), stepper.RowBytes(whole));
}

TEST(SizesTest, ARunOfTenThousandTokensIsTheSameTokenByToken) { ExpectALongRunIsTheSame(WithSeasons(TinyConfig())); }

TEST(SizesTest, SoItIsWithoutSeasons) { ExpectALongRunIsTheSame(TinyConfig()); }

TEST(SizesTest, SixtyFiveThousandSessionsInOneBatchAreTheSameAsEachAlone) {
  constexpr size_t kSessions = 65'536, kSeries = 16, kBatches = 3, kMost = 3;  // tokens of a session in a batch
  Stepper stepper(RandomPackage(WithSeasons(TinyConfig()), 3), kSessions + kSeries);
  std::vector<std::vector<float>> series;
  std::vector<Slot> slots, alone;
  for (size_t i = 0; i < kSeries; ++i) series.push_back(Series(i, kBatches * kMost));
  for (size_t i = 0; i < kSeries; ++i) alone.push_back(stepper.Open());
  for (size_t i = 0; i < kSessions; ++i) slots.push_back(stepper.Open());
  for (size_t batch = 0, begin = 0; batch < kBatches; ++batch) {
    const size_t count = 1 + batch % kMost;
    const auto portion = [&](size_t i, Slot slot) {
      const auto first = series[i % kSeries].begin() + static_cast<ptrdiff_t>(begin);
      return Portion{.slot = slot, .values = {first, first + count}, .forecast = std::vector<uint8_t>(count, 1)};
    };
    std::vector<Outputs> expected;
    for (size_t i = 0; i < kSeries; ++i) expected.push_back(stepper.Step({portion(i, alone[i])})[0]);
    std::vector<Portion> portions;
    for (size_t i = 0; i < kSessions; ++i) portions.push_back(portion(i, slots[i]));
    const std::vector<Outputs> got = stepper.Step(portions);
    for (size_t i = 0; i < kSessions; ++i) ASSERT_EQ(got[i], expected[i % kSeries]) << "session " << i;
    begin += count;
  }
  for (size_t i : {0u, 1u, 4'097u, 65'535u})
    EXPECT_EQ(stepper.RowBytes(slots[i]), stepper.RowBytes(alone[i % kSeries]));
}

}  // namespace
}  // namespace aaren::engine
