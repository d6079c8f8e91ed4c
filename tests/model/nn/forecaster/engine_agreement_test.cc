// The engine that serves against the trained module, in float64: equal forecasts from a fold, from a peek, and with
// missing values.

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecast_result.h"
#include "model/nn/forecaster/export.h"
#include "model/nn/forecaster/forecaster.h"
#include "tests/model/rounding.h"

namespace aaren::nn {
namespace {

// A share of the token's scale. The engine's bits are the same on every machine, and the module in float64 is a
// million times more exact than the engine's floats. The remaining error is of two layers in float, with averages in
// double.
const double kTolerance = NetworkRounding(2, 1, 40, kFloatUnit);

package::ForecasterConfig Small() {
  package::ForecasterConfig config;
  config.ring = 24;
  config.width = 32;
  config.layers = 2;
  config.heads = 4;
  config.value_width = 32;
  config.embed_hidden = 40;
  config.mlp_hidden = 40;
  config.horizon = 6;
  config.fold_every = 8;
  config.history = 100;
  return config;
}

// A forecaster with random parameters, so that no branch is dead.
Forecaster RandomForecaster(const package::ForecasterConfig& config) {
  torch::manual_seed(8);
  Forecaster forecaster(config);
  torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : forecaster->parameters()) parameter.add_(0.1 * torch::randn_like(parameter));
  return forecaster;
}

std::vector<double> Wave(int count) {
  std::vector<double> values(count);
  for (int t = 0; t < count; ++t)
    values[t] = static_cast<float>(50 + 8 * std::sin(0.3 * t) + 3 * std::sin(1.7 * t * t));
  return values;
}

// The engine's forecast at the last value, unrefined.
struct Streamed {
  std::vector<float> quantiles;  // [T * Q], relative to the origin
  double origin;
};

Streamed StepAll(const package::ModelPackage& package, const std::vector<double>& values) {
  const std::unique_ptr<engine::Engine> engine = std::move(engine::NewCpuEngine(package).value());
  const std::unique_ptr<engine::Lane> lane = engine->NewLane(1);
  engine::Slot slot;
  EXPECT_TRUE(lane->Allocate({&slot, 1}).ok() && lane->Reset({&slot, 1}).ok());
  std::vector<uint8_t> wanted(values.size());
  wanted.back() = 1;
  std::vector<float> forecast(engine->result_floats());
  const std::vector<float> inputs = engine::RunValues(values);
  const engine::Run run = {.slot = slot,
                           .values = inputs,
                           .forecast = wanted,
                           .forecasts = forecast.data(),
                           .refinement = engine::Refinement::kNetwork};
  EXPECT_TRUE(lane->Wait(lane->Submit({&run, 1}).value()).ok());
  const size_t quantiles = forecast.size() - engine::ResultTail::kFloats;
  const double origin = engine::ResultTail::Of(forecast.data(), quantiles).origin;
  forecast.resize(quantiles);
  return {.quantiles = std::move(forecast), .origin = origin};
}

// The tokens that the engine folds, and the last value.
std::vector<int64_t> Tokens(int count, int fold_every) {
  std::vector<int64_t> tokens;
  for (int64_t at = fold_every - 1; at < count - 1; at += fold_every) tokens.push_back(at);
  tokens.push_back(count - 1);
  return tokens;
}

void ExpectAgreement(const package::ForecasterConfig& config, const std::vector<double>& values) {
  Forecaster forecaster = RandomForecaster(config);
  const Streamed streamed = StepAll(ToPackage(forecaster), values);
  forecaster->to(torch::kFloat64);
  const torch::Tensor crop = torch::tensor(values, torch::kFloat64).unsqueeze(0);
  const std::vector<int64_t> tokens = Tokens(static_cast<int>(values.size()), config.fold_every);
  const torch::Tensor whole = forecaster->Forecast(crop, tokens)[0][-1].flatten().contiguous();
  const double scale = Encode(config, crop, {tokens.back()}, torch::kFloat64).scale.item<double>();
  for (size_t i = 0; i < streamed.quantiles.size(); ++i) {
    double expected = whole[i].item<double>() - streamed.origin;
    if (std::fabs(expected) < 1e-27) expected = 0;
    ASSERT_NEAR(streamed.quantiles[i], expected, kTolerance * (scale + std::fabs(expected)))
        << "output " << i << " of " << values.size();
  }
}

double ScaleAtTheEnd(const std::vector<double>& values) {
  const torch::Tensor crop = torch::tensor(values, torch::kFloat64).unsqueeze(0);
  return Encode(Small(), crop, {static_cast<int64_t>(values.size()) - 1}, torch::kFloat64).scale.item<double>();
}

TEST(EngineAgreementTest, FoldsAgree) {
  for (const int count : {8, 80, 400}) ExpectAgreement(Small(), Wave(count));
}

TEST(EngineAgreementTest, PeeksAgreeAtEveryOffset) {
  for (int count = 81; count < 88; ++count) ExpectAgreement(Small(), Wave(count));
}

TEST(EngineAgreementTest, YoungSessionsAgree) {
  for (int count = 2; count < 8; ++count) ExpectAgreement(Small(), Wave(count));
}

TEST(EngineAgreementTest, MissingValuesAgree) {
  std::vector<double> values = Wave(150);
  for (const int t : {0, 1, 60, 61, 62, 90, 149}) values[t] = std::numeric_limits<double>::quiet_NaN();
  ExpectAgreement(Small(), values);
}

TEST(EngineAgreementTest, WholeRingMissingAgrees) {
  std::vector<double> values = Wave(100);
  for (int t = 70; t < 100; ++t) values[t] = std::numeric_limits<double>::quiet_NaN();
  ExpectAgreement(Small(), values);
}

TEST(EngineAgreementTest, GlitchAgrees) {
  std::vector<double> values = Wave(150);
  values[60] = 1e30f;
  values[130] = -9999e3f;
  ExpectAgreement(Small(), values);
}

TEST(EngineAgreementTest, JumpAgreesBeforeAndAfterItIsBelieved) {
  std::vector<double> values = Wave(260);
  for (size_t t = 150; t < values.size(); ++t) values[t] += 1e5f;
  for (const size_t count : {152, 153, 154, 160, 260})
    ExpectAgreement(Small(), {values.begin(), values.begin() + count});
}

TEST(EngineAgreementTest, OutageWithGapsAgrees) {
  std::vector<double> values = Wave(200);
  for (size_t t = 120; t < 140; ++t) values[t] = t % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : -9999.0f;
  for (const size_t count : {125, 139, 145, 200}) ExpectAgreement(Small(), {values.begin(), values.begin() + count});
}

TEST(EngineAgreementTest, FlatStretchOfANumberThatIsNoFloatAgrees) {
  std::vector<double> values = Wave(100);
  values.resize(150, 0.1f);
  Forecaster forecaster = RandomForecaster(Small());
  std::vector<double> exact(values.begin(), values.end());
  std::fill(exact.begin() + 100, exact.end(), 0.1);
  EXPECT_EQ(ScaleAtTheEnd(exact), ScaleAtTheEnd(values));
  ExpectAgreement(Small(), values);
}

// A float next to 1e9 is known to 64.
TEST(EngineAgreementTest, SmallMovesFarFromZeroAgree) {
  std::vector<double> values = Wave(400);
  for (double& value : values) value += 1e9;
  for (const size_t count : {2, 3, 8, 80, 400}) ExpectAgreement(Small(), {values.begin(), values.begin() + count});
}

TEST(EngineAgreementTest, SmallMovesAfterAJumpFarFromZeroAgree) {
  std::vector<double> values = Wave(900);
  for (size_t t = 150; t < values.size(); ++t) values[t] += 1e9;
  EXPECT_LT(ScaleAtTheEnd(values), 20) << "the origin has followed the series";
  for (const size_t count : {400, 700, 900}) ExpectAgreement(Small(), {values.begin(), values.begin() + count});
}

TEST(EngineAgreementTest, ValuesNextToZeroAgree) {
  std::vector<double> values(60);
  for (size_t t = 0; t < values.size(); ++t) values[t] = static_cast<float>(t % 5) * 1e-42f;
  ExpectAgreement(Small(), values);
}

package::ForecasterConfig WithSeasons(package::ForecasterConfig config) {
  config.seasons = true;
  return config;
}

std::vector<double> Days(int count) {
  std::vector<double> values(count);
  for (int t = 0; t < count; ++t) {
    const double noise = std::sin(1.7 * t * t);
    values[t] = static_cast<float>(20 + 8 * std::sin(t * 2 * M_PI / 24) + (t % 168 < 48 ? 5 : 0) + noise);
  }
  return values;
}

TEST(EngineAgreementTest, NetworkThatSeesSeasonsAgreesAtEveryOffset) {
  for (int count = 800; count < 817; ++count) ExpectAgreement(WithSeasons(Small()), Days(count));
}

TEST(EngineAgreementTest, NetworkThatSeesSeasonsAgreesBeforeThereAreAny) {
  for (const int count : {2, 7, 16, 17, 18, 34, 40, 70}) ExpectAgreement(WithSeasons(Small()), Days(count));
}

TEST(EngineAgreementTest, NetworkThatSeesSeasonsAgreesAfterGapsGlitchesAndAJump) {
  std::vector<double> values = Days(1200);
  for (int t = 500; t < 530; ++t) values[t] = std::numeric_limits<double>::quiet_NaN();
  values[700] = 1e30f;
  for (size_t t = 900; t < values.size(); ++t) values[t] += 1e4f;
  for (const size_t count : {520, 531, 701, 703, 705, 901, 903, 904, 905, 1200}) {
    ExpectAgreement(WithSeasons(Small()), {values.begin(), values.begin() + count});
  }
}

TEST(EngineAgreementTest, BundledShapeThatSeesSeasonsAgreesBeyondItsMemory) {
  ExpectAgreement(WithSeasons(package::ForecasterConfig()), Days(2500));
}

TEST(EngineAgreementTest, BundledShapeAgrees) { ExpectAgreement(package::ForecasterConfig(), Wave(700)); }

}  // namespace
}  // namespace aaren::nn
