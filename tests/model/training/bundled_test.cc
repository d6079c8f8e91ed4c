// The model that ships with the server: the package matches the documentation, and forecasts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <vector>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecast_result.h"
#include "model/package/package.h"
#include "model/tasks/forecasting/metrics.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::training {
namespace {

constexpr int kHorizon = 24, kSeason = 24, kLength = 1200, kStride = 50, kStart = 600;
constexpr int kYear = 24 * 365;

package::ModelPackage Bundled() { return package::LoadPackage(AAREN_BUNDLED_MODEL).value(); }

// A day of 24 values with a wandering level, and noise.
std::vector<float> DailySeries(int length = kLength) {
  forecasting::Random random(11, 0);
  std::vector<float> values;
  double level = 100;
  for (int t = 0; t < length; ++t) {
    level += 0.2 * random.Normal();
    const double phase = 2 * std::numbers::pi * t / kSeason;
    values.push_back(static_cast<float>(level + 10 * std::sin(phase) + 4 * std::cos(2 * phase) + 2 * random.Normal()));
  }
  return values;
}

// Forecasts of [T, Q] numbers, one after the other, from the values where `wanted`.
std::vector<float> StepAll(const package::ModelPackage& package, const std::vector<float>& values,
                           const std::vector<uint8_t>& wanted, float* surprises = nullptr) {
  const std::unique_ptr<engine::Engine> engine = std::move(engine::NewCpuEngine(package).value());
  const std::unique_ptr<engine::Lane> lane = engine->NewLane(1);
  engine::Slot slot;
  EXPECT_TRUE(lane->Allocate({&slot, 1}).ok() && lane->Reset({&slot, 1}).ok());
  const size_t floats = engine->result_floats(), quantiles = floats - engine::ResultTail::kFloats;
  std::vector<float> results(std::count(wanted.begin(), wanted.end(), 1) * floats), forecasts;
  const engine::Run run = {
      .slot = slot, .values = values, .forecast = wanted, .forecasts = results.data(), .surprises = surprises};
  EXPECT_TRUE(lane->Wait(lane->Submit({&run, 1}).value()).ok());
  for (const float* result = results.data(); result != results.data() + results.size(); result += floats) {
    const engine::ResultTail tail = engine::ResultTail::Of(result, quantiles);
    for (size_t i = 0; i < quantiles; ++i) forecasts.push_back(tail.AbsoluteFloat(result[i]));
  }
  return forecasts;
}

TEST(BundledModelTest, HasTheDocumentedShapeAndSize) {
  const package::ModelPackage package = Bundled();
  EXPECT_EQ(package.name, "aaren-univariate");
  EXPECT_EQ(package.config.horizon, 48);
  EXPECT_EQ(package.config.quantiles, package::ForecasterConfig().quantiles);
  uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(AAREN_BUNDLED_MODEL)) bytes += file.file_size();
  EXPECT_LE(bytes, 4u << 20);
}

TEST(BundledModelTest, WasTrainedOnSyntheticSeriesAndSaysHow) {
  const package::ModelPackage package = Bundled();
  EXPECT_EQ(package.training.at("data"), "synthetic");
  EXPECT_NE(package.training.at("command").find("aaren-train"), std::string::npos);
}

TEST(BundledModelTest, BeatsSeasonalNaiveOnADailySeries) {
  const package::ModelPackage package = Bundled();
  const std::vector<float> values = DailySeries();
  std::vector<uint8_t> wanted(values.size());
  for (int t = kStart; t + kHorizon < kLength; t += kStride) wanted[t] = 1;
  const std::vector<float> forecasts = StepAll(package, values, wanted);
  const std::vector<double> levels(package.config.quantiles.begin(), package.config.quantiles.end());
  const std::vector<double> history(values.begin(), values.begin() + kStart);
  forecasting::ForecastScore model(levels, forecasting::SeasonalError(history, kSeason)),
      naive({0.5}, forecasting::SeasonalError(history, kSeason));
  const float* forecast = forecasts.data();
  for (int t = kStart; t + kHorizon < kLength; t += kStride, forecast += package.config.horizon * levels.size()) {
    for (int j = 0; j < kHorizon; ++j) {
      const float* quantiles = forecast + j * levels.size();
      model.Add(values[t + 1 + j], std::vector<double>(quantiles, quantiles + levels.size()));
      naive.Add(values[t + 1 + j], std::vector<double>{values[t + 1 + j - kSeason]});
    }
  }
  EXPECT_LT(model.mase(), 0.85 * naive.mase());
  EXPECT_NEAR(model.coverage80(), 0.8, 0.12);
}

TEST(BundledModelTest, SurpriseIsUniformOnADailySeries) {
  const std::vector<float> values = DailySeries(kYear);
  std::vector<float> surprises(values.size());
  StepAll(Bundled(), values, std::vector<uint8_t>(values.size(), 1), surprises.data());
  surprises.erase(surprises.begin(), surprises.begin() + kYear / 4);
  std::sort(surprises.begin(), surprises.end());
  const double count = static_cast<double>(surprises.size());
  double distance = 0;  // Kolmogorov, Smirnov
  for (size_t i = 0; i < surprises.size(); ++i) {
    const double at = static_cast<double>(i);
    distance = std::max({distance, surprises[i] - at / count, (at + 1) / count - surprises[i]});
  }
  EXPECT_LE(distance, 0.05);
}

}  // namespace
}  // namespace aaren::training
