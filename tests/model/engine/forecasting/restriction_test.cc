// The restriction of a session's forecasts, through the whole engine.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

class RestrictionTest : public testing::Test {
 protected:
  // The forecast from the last of these values.
  std::vector<float> Forecast(const std::vector<float>& values, Refinement refinement = Refinement::kRestricted) {
    const std::vector<float> all = stepper_.Feed(stepper_.Open(), values, refinement).forecasts;
    return {all.end() - static_cast<ptrdiff_t>(all.size() / values.size()), all.end()};
  }

  static bool AllWhole(const std::vector<float>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](float x) { return x == std::floor(x); });
  }

  Stepper stepper_{RandomPackage(TinyConfig(), 31)};
};

// Counts of people at a counter.
std::vector<float> Counts(size_t count) {
  std::vector<float> values(count);
  for (size_t t = 0; t < count; ++t) values[t] = static_cast<float>(t * t * 7 % 11 % 4);
  return values;
}

float Least(const std::vector<float>& numbers) { return *std::min_element(numbers.begin(), numbers.end()); }

TEST_F(RestrictionTest, CountsAreForecastWholeAndNotBelowZero) {
  const std::vector<float> forecast = Forecast(Counts(100));
  EXPECT_TRUE(AllWhole(forecast));
  EXPECT_GE(Least(forecast), 0);
}

TEST_F(RestrictionTest, WithoutItTheyAreAsCalibrated) {
  const std::vector<float> forecast = Forecast(Counts(100), Refinement::kCalibrated);
  EXPECT_FALSE(AllWhole(forecast));
  EXPECT_LT(Least(forecast), 0);
}

TEST_F(RestrictionTest, GlitchThatIsNotBelievedChangesNothingOfIt) {
  std::vector<float> values = Counts(200);
  values[100] = -9999.5f;
  const std::vector<float> forecast = Forecast(values);
  EXPECT_TRUE(AllWhole(forecast));
  EXPECT_GE(Least(forecast), 0);
}

TEST_F(RestrictionTest, NegativeValueEndsIt) {
  std::vector<float> values = Counts(200);
  for (size_t t = 100; t < values.size(); ++t) values[t] = -values[t];
  EXPECT_LT(Least(Forecast(values)), 0);
}

TEST_F(RestrictionTest, SurprisesGoWithoutIt) {
  const std::vector<float> values = Counts(100);
  const Outputs restricted = stepper_.Feed(stepper_.Open(), values);
  const Outputs calibrated = stepper_.Feed(stepper_.Open(), values, Refinement::kCalibrated);
  EXPECT_EQ(Fingerprint(restricted.surprises), Fingerprint(calibrated.surprises));
}

TEST_F(RestrictionTest, ForecastIsOfWhatWasKnownAtItsToken) {
  std::vector<float> values = Counts(60);
  const Slot slot = stepper_.Open();
  values.push_back(0.3317f);  // in one call with a token that knew whole numbers only
  const std::vector<float> all = stepper_.Feed(slot, values).forecasts;
  const ptrdiff_t size = static_cast<ptrdiff_t>(all.size() / values.size());
  EXPECT_TRUE(AllWhole({all.end() - 2 * size, all.end() - size}));
  EXPECT_FALSE(AllWhole({all.end() - size, all.end()}));
}

}  // namespace
}  // namespace aaren::engine
