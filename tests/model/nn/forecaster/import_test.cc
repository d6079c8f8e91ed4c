#include "model/nn/forecaster/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>
#include <vector>

#include "model/nn/forecaster/export.h"
#include "tests/model/rounding.h"

namespace aaren::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

package::ForecasterConfig Tiny(bool seasons) {
  package::ForecasterConfig config;
  config.ring = 12;
  config.width = 16;
  config.layers = 2;
  config.heads = 4;
  config.value_width = 16;
  config.embed_hidden = 8;
  config.mlp_hidden = 8;
  config.horizon = 5;
  config.seasons = seasons;
  return config;
}

// A forecaster with random parameters, so that no branch is dead.
Forecaster Random(const package::ForecasterConfig& config, uint64_t seed) {
  torch::manual_seed(seed);
  Forecaster forecaster(config);
  torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : forecaster->parameters()) parameter.add_(0.2 * torch::randn_like(parameter));
  return forecaster;
}

torch::Tensor Forecast(Forecaster forecaster) {
  torch::manual_seed(6);
  return forecaster->Forecast(torch::randn({2, 60}, torch::kFloat64).cumsum(1), {20, 36, 52});
}

// Expects equal forecasts, apart from the rounding of two layers in float32.
void ExpectSameForecasts(Forecaster one, Forecaster two) {
  const torch::Tensor expected = Forecast(one);
  const double largest = expected.abs().max().item<double>();
  EXPECT_LE((Forecast(two) - expected).abs().max().item<double>(), NetworkRounding(2, 60, 32, kFloatUnit) * largest);
}

TEST(TakeWeightsTest, ForecastsAreThoseOfThePackage) {
  for (bool seasons : {false, true}) {
    Forecaster from = Random(Tiny(seasons), 1), to = Random(Tiny(seasons), 2);
    const auto left = TakeWeights(ToPackage(from), to);
    ASSERT_TRUE(left.ok()) << left.status();
    EXPECT_THAT(*left, IsEmpty());
    ExpectSameForecasts(from, to);
  }
}

TEST(TakeWeightsTest, NewInputsStartWithoutEffect) {
  Forecaster from = Random(Tiny(false), 1), to = Random(Tiny(true), 2);
  const auto left = TakeWeights(ToPackage(from), to);
  ASSERT_TRUE(left.ok()) << left.status();
  EXPECT_THAT(*left, IsEmpty());
  for (const torch::nn::Linear& linear : {to->embed_linear, to->embed_mlp->gate, to->embed_mlp->up, to->skip}) {
    EXPECT_EQ(linear->weight.narrow(1, 18, 17).abs().max().item<double>(), 0);
  }
  torch::NoGradGuard no_grad;
  to->season_gate->weight.zero_();  // only the skip counts, like in the package
  to->season_gate->bias.fill_(-100).view({-1, 5}).select(1, 0).fill_(0);
  ExpectSameForecasts(from, to);
}

TEST(TakeWeightsTest, WhatDoesNotFitStays) {
  package::ForecasterConfig longer = Tiny(false);
  longer.horizon = 7;
  Forecaster from = Random(Tiny(false), 1), to = Random(longer, 2);
  const torch::Tensor head = to->head->weight.clone();
  const auto left = TakeWeights(ToPackage(from), to);
  ASSERT_TRUE(left.ok()) << left.status();
  EXPECT_THAT(*left, ElementsAre("head.bias", "head.skip.weight", "head.weight"));
  EXPECT_TRUE(torch::equal(to->head->weight, head));
  EXPECT_TRUE(torch::equal(to->norm->weight, from->norm->weight));
}

TEST(TakeWeightsTest, AnotherRingDoesNotFitTheEmbedding) {
  package::ForecasterConfig wider = Tiny(false);
  wider.ring = 16;
  Forecaster from = Random(Tiny(false), 1), to = Random(wider, 2);
  const auto left = TakeWeights(ToPackage(from), to);
  ASSERT_TRUE(left.ok()) << left.status();
  EXPECT_THAT(*left, ElementsAre("embed.gate.weight", "embed.linear.weight", "embed.up.weight", "head.skip.weight"));
}

TEST(TakeWeightsTest, PackageOfOtherRatesIsRefused) {
  package::ModelPackage package = ToPackage(Random(Tiny(false), 1));
  std::vector<float>& cosine = package.tensors.at("blocks.1.attention.cos").data;
  for (float& value : cosine) value = -value;
  Forecaster to = Random(Tiny(false), 2);
  const torch::Tensor before = to->head->weight.clone();
  EXPECT_TRUE(absl::IsFailedPrecondition(TakeWeights(package, to).status()));
  EXPECT_TRUE(torch::equal(to->head->weight, before));
}

}  // namespace
}  // namespace aaren::nn
