#include "tests/model/engine/forecasting/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/model/engine/forecasting/calibrated_reference.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

// The largest error of any forecast, over the largest distance between the forecast's quantiles, or over the scale if
// larger.
double WorstError(const package::ModelPackage& package, const std::vector<float>& series, size_t tokens_per_call) {
  Stepper stepper(package);
  Reference reference(package);
  const Slot slot = stepper.Open();
  std::vector<float> forecasts;
  for (size_t t = 0; t < series.size(); t += tokens_per_call) {
    const auto end = series.begin() + std::min(series.size(), t + tokens_per_call);
    const Outputs outputs = stepper.Feed(slot, {series.begin() + t, end}, Refinement::kNetwork);
    forecasts.insert(forecasts.end(), outputs.forecasts.begin(), outputs.forecasts.end());
  }
  double worst = 0.0;
  const float* forecast = forecasts.data();
  for (float value : series) {
    const Reference::Forecast expected = reference.Take(value);
    const auto [least, most] = std::minmax_element(expected.quantiles.begin(), expected.quantiles.end());
    const double unit = std::max(expected.scale, *most - *least);
    for (double quantile : expected.quantiles) {
      if (std::isnan(quantile) && std::isnan(*forecast)) {  // before the first value
        ++forecast;
        continue;
      }
      // A forecast is a float in the units of the series: half of the last place is no error of the network. After a
      // gap the forecast is rounded a second time, and made of three such floats.
      const double rounding = (std::isnan(value) ? 4 : 1) * std::abs(quantile) * 0x1p-24;
      worst = std::max(worst, (std::abs(*forecast++ - quantile) - rounding) / unit);
    }
  }
  return worst;
}

// The accuracy that the engine promises, as a share of the scale. The number bounds no rounding in general: the
// engine's bits are equal on every machine, and so is their distance from the definition in double.
constexpr double kAccuracy = 1e-5;

TEST(ReferenceTest, TinyForecasterAgreesInOneCall) {
  EXPECT_LT(WorstError(RandomPackage(TinyConfig(), 3), Series(4, 600), 600), kAccuracy);
}

TEST(ReferenceTest, TinyForecasterAgreesTokenByToken) {
  EXPECT_LT(WorstError(RandomPackage(TinyConfig(), 5), Series(6, 300), 1), kAccuracy);
}

TEST(ReferenceTest, DefaultForecasterAgrees) {
  EXPECT_LT(WorstError(RandomPackage(package::ForecasterConfig(), 7), Series(8, 400), 50), kAccuracy);
}

TEST(ReferenceTest, AgreesWhereMostValuesAreMissing) {
  std::vector<float> series = Series(9, 300);
  for (size_t t = 0; t < series.size(); ++t) {
    if ((t % 7 != 2 && t % 11 != 3) || (t > 100 && t < 200)) series[t] = NAN;
  }
  EXPECT_LT(WorstError(RandomPackage(TinyConfig(), 10), series, 10), kAccuracy);
}

TEST(ReferenceTest, AgreesAfterGlitchesAndAJump) {
  std::vector<float> series = Series(4, 400);
  series[50] = 1e30f;
  for (size_t t : {100, 101, 102}) series[t] = -9999e6f;
  for (size_t t = 200; t < series.size(); ++t) series[t] += 1e6f;
  EXPECT_LT(WorstError(RandomPackage(TinyConfig(), 3), series, 400), kAccuracy);
}

TEST(ReferenceTest, AgreesAfterAnOutageWithGaps) {
  std::vector<float> series = Series(4, 400);
  for (size_t t = 200; t < 240; ++t) series[t] = t % 3 == 0 ? NAN : -9999.0f;
  EXPECT_LT(WorstError(RandomPackage(TinyConfig(), 3), series, 400), kAccuracy);
}

TEST(ReferenceTest, AgreesOnAConstantSeries) {
  EXPECT_LT(WorstError(RandomPackage(TinyConfig(), 11), std::vector<float>(100, 0.5f), 9), kAccuracy);
}

TEST(ReferenceTest, AgreesWhenNothingButMissingValuesCame) {
  EXPECT_LT(WorstError(RandomPackage(TinyConfig(), 12), std::vector<float>(40, NAN), 9), kAccuracy);
}

TEST(ReferenceTest, AgreesWhenEveryTokenFolds) {
  package::ForecasterConfig config = TinyConfig();
  config.fold_every = 1;
  EXPECT_LT(WorstError(RandomPackage(config, 13), Series(14, 300), 100), kAccuracy);
}

// The largest error of a corrected forecast, over the spread of the forecast before correction.
double WorstCorrection(const package::ModelPackage& package, const std::vector<float>& series) {
  Stepper stepper(package);
  CalibratedReference reference(package.config);
  const Outputs mixed = stepper.Feed(stepper.Open(), series, Refinement::kMixed);
  const Outputs corrected = stepper.Feed(stepper.Open(), series, Refinement::kCalibrated);
  const size_t count = package.config.quantiles.size();
  const size_t size = mixed.forecasts.size() / series.size();
  double worst = 0.0;
  for (size_t t = 0; t < series.size(); ++t) {
    const float* forecast = &mixed.forecasts[t * size];
    const std::vector<double> expected = reference.Take(series[t], forecast);
    for (size_t i = 0; i < size; ++i) {
      const float* quantiles = forecast + i / count * count;
      const double rounding = std::abs(expected[i]) * 0x1p-24;
      const double error = std::abs(corrected.forecasts[t * size + i] - expected[i]) - rounding;
      worst = std::max(worst, error / (quantiles[count - 1] - quantiles[0]));
    }
  }
  EXPECT_NE(mixed.forecasts, corrected.forecasts);
  return worst;
}

TEST(ReferenceTest, TinyForecasterIsCorrectedAsItSays) {
  EXPECT_LT(WorstCorrection(RandomPackage(TinyConfig(), 15), Series(16, 5000)), kAccuracy);
}

TEST(ReferenceTest, DefaultForecasterIsCorrectedAsItSays) {
  EXPECT_LT(WorstCorrection(RandomPackage(package::ForecasterConfig(), 17), Series(18, 3000)), kAccuracy);
}

}  // namespace
}  // namespace aaren::engine
