// A million tokens of one session whose series moves half-way: both tiers beside the definition in float64.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecasting/weights.h"
#include "tests/model/engine/forecasting/reference.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

constexpr size_t kTokens = 1'000'000, kCall = 10'000;
constexpr size_t kEvery = 7'919;  // tokens between forecasts, which meet every phase of folds, probes and blocks

package::ModelPackage Package() {
  package::ForecasterConfig config = TinyConfig();
  config.fold_every = 8;
  return RoundedWeights(RandomPackage(config, 31));
}

std::vector<float> MovingSeries() {
  std::vector<float> series = Series(32, kTokens);
  for (size_t t = kTokens / 2; t < kTokens; ++t) series[t] += 1e3f;
  return series;
}

bool Asked(size_t t) { return t % kEvery == kEvery - 1; }

std::vector<float> ForecastsOf(const package::ModelPackage& package, Tier tier, const std::vector<float>& series) {
  Stepper stepper(std::shared_ptr<const Engine>(NewCpuEngine(package, tier).value()));
  const Slot slot = stepper.Open();
  std::vector<float> forecasts;
  for (size_t begin = 0; begin < kTokens; begin += kCall) {
    Portion portion{.slot = slot,
                    .values = {series.begin() + begin, series.begin() + begin + kCall},
                    .forecast = std::vector<uint8_t>(kCall),
                    .refinement = Refinement::kNetwork};
    for (size_t t = 0; t < kCall; ++t) portion.forecast[t] = Asked(begin + t);
    const Outputs outputs = stepper.Step({portion})[0];
    forecasts.insert(forecasts.end(), outputs.forecasts.begin(), outputs.forecasts.end());
  }
  return forecasts;
}

// The largest error over the largest distance between the forecast's quantiles, or over the scale if larger.
double WorstError(const std::vector<float>& got, const std::vector<Reference::Forecast>& expected) {
  double worst = 0.0;
  const float* next = got.data();
  for (const Reference::Forecast& forecast : expected) {
    const auto [least, most] = std::minmax_element(forecast.quantiles.begin(), forecast.quantiles.end());
    const double unit = std::max(forecast.scale, *most - *least);
    for (const double quantile : forecast.quantiles) {
      const double rounding = std::abs(quantile) * 0x1p-24;
      worst = std::max(worst, (std::abs(*next++ - quantile) - rounding) / unit);
    }
  }
  EXPECT_EQ(next, got.data() + got.size());
  return worst;
}

TEST(MillionTest, BothTiersStayAsNearAsTheyPromise) {
  const package::ModelPackage package = Package();
  const std::vector<float> series = MovingSeries();
  Reference reference(package, Reference::Past::kSums);
  std::vector<Reference::Forecast> expected;
  for (size_t t = 0; t < kTokens; ++t) {
    Asked(t) ? expected.push_back(reference.Take(series[t])) : reference.See(series[t]);
  }
  ASSERT_EQ(expected.size(), kTokens / kEvery);
  EXPECT_LT(WorstError(ForecastsOf(package, Tier::kExact, series), expected), 1e-5);
  EXPECT_LT(WorstError(ForecastsOf(package, Tier::kFast, series), expected), 2e-2);
}

TEST(MillionTest, SumsAreTheSoftmaxOverAllTokens) {
  const package::ModelPackage package = Package();
  Reference sums(package, Reference::Past::kSums), each(package, Reference::Past::kEachToken);
  for (const float value : Series(33, 600)) {
    const Reference::Forecast expected = each.Take(value), got = sums.Take(value);
    for (size_t i = 0; i < expected.quantiles.size(); ++i) {
      ASSERT_NEAR(got.quantiles[i], expected.quantiles[i], 1e-11 * expected.scale);
    }
  }
}

}  // namespace
}  // namespace aaren::engine
