#include "model/nn/forecaster.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>
#include <vector>

#include "tests/model/rounding.h"

namespace aaren {
namespace {

const std::vector<int64_t> kPositions = {3, 7, 9, 15, 31, 40};

ForecasterConfig Tiny() {
  ForecasterConfig config;
  config.ring = 12;
  config.width = 16;
  config.layers = 2;
  config.heads = 4;
  config.value_width = 16;
  config.embed_hidden = 8;
  config.mlp_hidden = 8;
  config.horizon = 5;
  return config;
}

// With every parameter random, so that no branch is dead.
Forecaster Exact(const ForecasterConfig& config) {
  torch::manual_seed(5);
  Forecaster forecaster(config);
  forecaster->to(torch::kFloat64);
  torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : forecaster->parameters()) parameter.add_(0.2 * torch::randn_like(parameter));
  return forecaster;
}

torch::Tensor RandomValues() {
  torch::manual_seed(6);
  return torch::randn({2, 60}, torch::kFloat64).cumsum(1);
}

double Distance(const torch::Tensor& x, const torch::Tensor& y) { return (x - y).abs().max().item<double>(); }

TEST(ForecasterTest, ForecastsEveryTokenStepAndQuantile) {
  const torch::Tensor forecast = Exact(Tiny())->Forecast(RandomValues(), kPositions);
  EXPECT_EQ(forecast.sizes(), (std::vector<int64_t>{2, 6, 5, 9}));
  EXPECT_TRUE(forecast.isfinite().all().item<bool>());
}

TEST(ForecasterTest, QuantilesAscend) {
  const torch::Tensor forecast = Exact(Tiny())->Forecast(RandomValues(), kPositions);
  EXPECT_GT(forecast.diff(1, -1).min().item<double>(), 0);
}

TEST(ForecasterTest, ForecastFollowsShiftAndScaleOfTheSeries) {
  Forecaster forecaster = Exact(Tiny());
  const torch::Tensor values = RandomValues();
  const std::vector<int64_t> settled = {9, 21, 40, 59};  // before, the level gives a scale
  const torch::Tensor moved = forecaster->Forecast(3 * values + 10, settled);
  EXPECT_LT(Distance(moved, 3 * forecaster->Forecast(values, settled) + 10),
            100 * 4 * 1e-7 * 13);  // forecasts up to 100 scales, four times the scale's 1e-7 |mu|, |mu| up to 13
}

TEST(ForecasterTest, LaterValuesDoNotMatter) {
  Forecaster forecaster = Exact(Tiny());
  const torch::Tensor values = RandomValues(), changed = values.clone();
  changed.slice(1, 16).add_(100);
  EXPECT_TRUE(torch::equal(forecaster->Forecast(values, kPositions).slice(1, 0, 4),
                           forecaster->Forecast(changed, kPositions).slice(1, 0, 4)));
}

TEST(ForecasterTest, OldTokensReachTheForecastThroughTheState) {
  Forecaster forecaster = Exact(Tiny());
  const torch::Tensor values = RandomValues();
  const torch::Tensor with = forecaster->Forecast(values, {15, 40}), without = forecaster->Forecast(values, {40});
  EXPECT_GT(Distance(with.select(1, 1), without.select(1, 0)), 1e-6) << "value 15 left the ring of 12 before 40";
}

TEST(ForecasterTest, MissingValuesGiveFiniteForecasts) {
  const torch::Tensor values = RandomValues();
  values.slice(1, 0, 30).fill_(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(Exact(Tiny())->Forecast(values, kPositions).isfinite().all().item<bool>());
}

TEST(AttentionOptionsTest, RatesSpreadOverPlainAndRotaryHeads) {
  const AarenOptions options = AttentionOptions(ForecasterConfig());
  ASSERT_EQ(options.decay().size(), 8u);
  EXPECT_NEAR(options.decay()[0], 1.0 / 2000, Gamma(2, kFloatUnit) / 24);
  EXPECT_NEAR(options.decay()[3], 1.0 / 24, Gamma(2, kFloatUnit) / 24);
  EXPECT_NEAR(options.decay()[7], 1.0 / 300, Gamma(2, kFloatUnit) / 24);
  ASSERT_EQ(options.rates().size(), 64u);
  EXPECT_EQ(options.rates()[31], 0) << "the last pair of the plain heads";
  EXPECT_GT(options.rates()[32], 0);
}

}  // namespace
}  // namespace aaren
