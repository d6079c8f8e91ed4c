#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

// For any series, forecasts are finite, quantiles do not cross, and CheckRow accepts the row.
void ExpectSaneForecasts(const std::vector<float>& series) {
  Stepper stepper(RandomPackage(TinyConfig(), 1));
  const Slot slot = stepper.Open();
  const Outputs outputs = stepper.Feed(slot, series);
  for (size_t i = 0; i < outputs.forecasts.size(); ++i) {
    ASSERT_TRUE(std::isfinite(outputs.forecasts[i])) << i;
    ASSERT_TRUE(i % 3 == 0 || outputs.forecasts[i] >= outputs.forecasts[i - 1]) << i;
  }
  for (float surprise : outputs.surprises) ASSERT_TRUE(std::isnan(surprise) || (surprise >= 0.0f && surprise <= 1.0f));
  const auto checked = stepper.engine()->CheckRow(stepper.RowBytes(slot));
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(*checked, series.size());
}

std::vector<float> With(size_t at, float value) {
  std::vector<float> series = Series(2, 200);
  series[at] = value;
  return series;
}

TEST(ExtremesTest, OneEnormousOutlier) { ExpectSaneForecasts(With(90, 1e30f)); }

TEST(ExtremesTest, LargestFloatAndInfinityAreClamped) {
  ExpectSaneForecasts(With(90, std::numeric_limits<float>::max()));
  ExpectSaneForecasts(With(90, -std::numeric_limits<float>::infinity()));
}

TEST(ExtremesTest, LargestValuesThenZeros) {
  std::vector<float> series(50, 1e30f);
  series.resize(3000, 0.0f);
  ExpectSaneForecasts(series);
}

TEST(ExtremesTest, AlternatingLargestValues) {
  std::vector<float> series;
  for (int t = 0; t < 200; ++t) series.push_back(t % 2 == 0 ? 1e30f : -1e30f);
  ExpectSaneForecasts(series);
}

TEST(ExtremesTest, LargeIntegersThatDifferLittle) {
  std::vector<float> series;
  for (int t = 0; t < 200; ++t) series.push_back(1e15f + static_cast<float>(t % 5) * 67108864.0f);
  ExpectSaneForecasts(series);
}

TEST(ExtremesTest, NinetyPercentMissing) {
  std::vector<float> series = Series(3, 4000);
  for (size_t t = 0; t < series.size(); ++t) {
    if (t * 7 % 10 != 0) series[t] = NAN;
  }
  ExpectSaneForecasts(series);
}

TEST(ExtremesTest, JumpsAndConstantStretches) {
  std::vector<float> series;
  for (int t = 0; t < 4000; ++t) series.push_back(t / 400 % 2 == 0 ? 1.0f : 1e6f + static_cast<float>(t % 3));
  ExpectSaneForecasts(series);
}

TEST(ExtremesTest, AlternationOfPeriodOne) {
  std::vector<float> series;
  for (int t = 0; t < 4000; ++t) series.push_back(t % 2 == 0 ? 1.0f : -1.0f);
  ExpectSaneForecasts(series);
}

TEST(ExtremesTest, DenormalValues) {
  std::vector<float> series;
  for (int t = 0; t < 200; ++t) series.push_back(static_cast<float>(t % 9) * 1e-45f);
  ExpectSaneForecasts(series);
}

TEST(ExtremesTest, ConstantSeries) {
  ExpectSaneForecasts(std::vector<float>(300, 0.0f));
  ExpectSaneForecasts(std::vector<float>(300, -1e30f));
}

TEST(ExtremesTest, NothingButMissingValuesIsForecastMissing) {
  Stepper stepper(RandomPackage(TinyConfig(), 1));
  const Slot slot = stepper.Open();
  const Outputs outputs = stepper.Feed(slot, std::vector<float>(300, NAN));
  for (float forecast : outputs.forecasts) ASSERT_TRUE(std::isnan(forecast));
  for (float surprise : outputs.surprises) ASSERT_TRUE(std::isnan(surprise));
  EXPECT_TRUE(stepper.engine()->CheckRow(stepper.RowBytes(slot)).ok());
}

TEST(ExtremesTest, OneValueThenNothing) {
  std::vector<float> series(300, NAN);
  series[0] = 5.0f;
  ExpectSaneForecasts(series);
}

}  // namespace
}  // namespace aaren::engine
