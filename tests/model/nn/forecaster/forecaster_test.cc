#include "model/nn/forecaster/forecaster.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>
#include <numbers>
#include <vector>

#include "tests/model/distance.h"
#include "tests/model/rounding.h"

namespace aaren::nn {
namespace {

const std::vector<int64_t> kPositions = {3, 7, 9, 15, 31, 40};

package::ForecasterConfig Tiny() {
  package::ForecasterConfig config;
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

// A forecaster with random parameters, so that no branch is dead.
Forecaster Exact(const package::ForecasterConfig& config) {
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
  const std::vector<int64_t> settled = {9, 21, 40, 59};  // earlier, the level gives a scale
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

package::ForecasterConfig TinySeasonal() {
  package::ForecasterConfig config = Tiny();
  config.seasons = true;
  return config;
}

// Waves of period 8, long enough for the season to be found.
torch::Tensor Waves() {
  torch::manual_seed(7);
  const torch::Tensor t = torch::arange(90, torch::kFloat64);
  return (t * (2 * std::numbers::pi / 8)).sin() + 0.1 * torch::randn({2, 90}, torch::kFloat64);
}

const std::vector<int64_t> kLate = {20, 61, 84};

// The definition, one number at a time, for a gate that ignores the token.
double MedianOffset(Forecaster& forecaster, const Encoding& encoding, int64_t row, int64_t token, int64_t step) {
  const std::vector<int> knots = forecaster->config.season_knots();
  size_t upper = 0;
  while (knots[upper] < step + 1) ++upper;
  const size_t lower = upper == 0 ? 0 : upper - 1;
  const double part = upper == 0 ? 1 : (step + 1.0 - knots[lower]) / (knots[upper] - knots[lower]);
  const torch::Tensor weights = forecaster->season_gate->bias.view({-1, 5}).softmax(-1);  // by knot
  double sum = 0;
  for (int64_t k = 0; k < 5; ++k) {
    torch::Tensor said;
    if (k == 0) said = (forecaster->skip->weight[step] * encoding.features[row][token]).sum();
    if (k >= 1) said = encoding.sources[row][token][k - 1][step];
    if (k >= 2) {
      const torch::Tensor& correction = forecaster->season_residuals[k - 2]->as<torch::nn::Linear>()->weight;
      said = said + (correction[step] * encoding.residuals[row][token][k - 2]).sum();
    }
    const torch::Tensor weight = part * weights[upper][k] + (1 - part) * weights[lower][k];
    sum += (weight * said).item<double>();
  }
  return sum;
}

TEST(SeasonalForecasterTest, SkipIsMixedWithTheCorrectedSources) {
  Forecaster forecaster = Exact(TinySeasonal());
  torch::NoGradGuard no_grad;
  forecaster->season_gate->weight.zero_();
  const Encoding encoding = Encode(TinySeasonal(), Waves(), kLate, torch::kFloat64);
  ASSERT_GT(encoding.residuals[1][2].abs().sum().item<double>(), 0);
  const torch::Tensor skip = forecaster->Read(encoding, kLate).skip;
  ASSERT_EQ(skip.sizes(), (std::vector<int64_t>{2, 3, 5}));
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t token = 0; token < 3; ++token) {
      for (int64_t step = 0; step < 5; ++step) {
        EXPECT_NEAR(skip[row][token][step].item<double>(), MedianOffset(forecaster, encoding, row, token, step),
                    1e-9);  // for numbers up to 30 in double
      }
    }
  }
}

TEST(SeasonalForecasterTest, WeightsAreLinearBetweenKnots) {
  package::ForecasterConfig config = TinySeasonal();
  config.horizon = 48;
  const torch::Tensor shares = Forecaster(config)->season_interpolation;
  ASSERT_EQ(shares.sizes(), (std::vector<int64_t>{8, 48}));
  EXPECT_EQ(shares[0][0].item<double>(), 1) << "step 1 is the first knot";
  EXPECT_EQ(shares[3][9].item<double>(), 0.75) << "step 10 is a quarter of the way from 8";
  EXPECT_EQ(shares[4][9].item<double>(), 0.25) << "to 16";
  EXPECT_EQ(shares[7][47].item<double>(), 1) << "step 48 is the last";
  EXPECT_TRUE(torch::allclose(shares.sum(0), torch::ones(48)));
}

TEST(SeasonalForecasterTest, GateLooksAtTheToken) {
  Forecaster forecaster = Exact(TinySeasonal());
  const Encoding encoding = Encode(TinySeasonal(), Waves(), kLate, torch::kFloat64);
  const torch::Tensor before = forecaster->Read(encoding, kLate).skip;
  torch::NoGradGuard no_grad;
  forecaster->season_gate->weight.zero_();
  EXPECT_GT(Distance(forecaster->Read(encoding, kLate).skip, before), 1e-3);
}

TEST(SeasonalForecasterTest, NewOneTakesSixTenthsFromItsSkip) {
  torch::manual_seed(5);
  Forecaster forecaster(TinySeasonal());
  torch::NoGradGuard no_grad;
  forecaster->skip->weight.fill_(0.01);
  const Encoding encoding = Encode(TinySeasonal(), Waves(), kLate, torch::kFloat32);
  const torch::Tensor others = encoding.sources.sum(-2), skipped = forecaster->skip(encoding.features);
  EXPECT_LT(Distance(forecaster->Read(encoding, kLate).skip, 0.6 * skipped + 0.1 * others), 1e-4);
}

TEST(SeasonalForecasterTest, ForecastFollowsShiftAndScaleOfTheSeries) {
  Forecaster forecaster = Exact(TinySeasonal());
  const torch::Tensor values = Waves(), moved = forecaster->Forecast(4 * values + 16, kLate);
  // Values are floats, and old values lie on a grid of 1 in 65,534 of their block's range.
  EXPECT_LT(Distance(moved, 4 * forecaster->Forecast(values, kLate) + 16), 0.02);
}

TEST(AttentionOptionsTest, RatesSpreadOverPlainAndRotaryHeads) {
  const AarenOptions options = AttentionOptions(package::ForecasterConfig());
  ASSERT_EQ(options.decay().size(), 8u);
  EXPECT_NEAR(options.decay()[0], 1.0 / 2000, Gamma(2, kFloatUnit) / 24);
  EXPECT_NEAR(options.decay()[3], 1.0 / 24, Gamma(2, kFloatUnit) / 24);
  EXPECT_NEAR(options.decay()[7], 1.0 / 300, Gamma(2, kFloatUnit) / 24);
  ASSERT_EQ(options.rates().size(), 64u);
  EXPECT_EQ(options.rates()[31], 0) << "the last pair of the plain heads";
  EXPECT_GT(options.rates()[32], 0);
}

}  // namespace
}  // namespace aaren::nn
