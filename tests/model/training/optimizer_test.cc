#include "model/training/optimizer.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "model/nn/forecaster/forecaster.h"
#include "model/training/checkpoint.h"
#include "tests/model/rounding.h"
#include "tests/model/training/small_run.h"

namespace aaren::training {
namespace {

// Gives every parameter a random gradient.
void SetGradients(nn::Forecaster& forecaster, uint64_t seed) {
  torch::manual_seed(seed);
  for (torch::Tensor& parameter : forecaster->parameters()) parameter.mutable_grad() = torch::randn_like(parameter);
}

nn::Forecaster Seeded() {
  torch::manual_seed(1);
  return nn::Forecaster(SmallConfig());
}

torch::Tensor ValueWeight(nn::Forecaster& forecaster) {
  return forecaster->blocks[0]->as<nn::GatedBlock>()->attention->value->weight;
}

TEST(OptimizerTest, MuonStepIsNearlyOrthogonal) {
  nn::Forecaster forecaster = Seeded();
  Optimizer optimizer(*forecaster, {.rate = 0.01, .muon_rate = 0.1, .weight_decay = 0});
  const torch::Tensor before = ValueWeight(forecaster).detach().clone();
  SetGradients(forecaster, 2);
  optimizer.Step(1);
  const torch::Tensor singular = torch::linalg_svdvals(ValueWeight(forecaster).detach() - before) / 0.1;
  EXPECT_GT(singular.min().item<double>(), 0.3);
  EXPECT_LT(singular.max().item<double>(), 1.4);
}

// A Muon step would be equally large in every direction.
TEST(OptimizerTest, WhatMakesTheFoldedQueryTakesAdamSteps) {
  nn::Forecaster forecaster = Seeded();
  Optimizer optimizer(*forecaster, {.rate = 0.01, .muon_rate = 100, .weight_decay = 0});
  const auto& attention = forecaster->blocks[0]->as<nn::GatedBlock>()->attention;
  SetGradients(forecaster, 2);
  for (const torch::Tensor& weight : {attention->query_projection->weight, attention->key->weight}) {
    const torch::Tensor before = weight.detach().clone();
    optimizer.Step(1);
    EXPECT_LT((weight.detach() - before).abs().max().item<double>(), 0.011);
    SetGradients(forecaster, 2);
  }
}

TEST(OptimizerTest, FirstAdamStepMovesEachWeightByTheRateAgainstItsGradient) {
  nn::Forecaster forecaster = Seeded();
  Optimizer optimizer(*forecaster, {.rate = 0.01, .muon_rate = 0.1, .weight_decay = 0, .clip = 1e6});
  const torch::Tensor before = forecaster->head->weight.detach().clone();
  SetGradients(forecaster, 2);
  const torch::Tensor gradient = forecaster->head->weight.grad().clone();
  optimizer.Step(0.5);
  // A step is rounded eight times, and shortened by the epsilon of 1e-8 beside the gradient.
  const double short_of = 1e-8 / gradient.abs().min().item<double>() + Gamma(8, kFloatUnit);
  EXPECT_TRUE(torch::allclose(forecaster->head->weight, before - 0.005 * gradient.sign(), Gamma(2, kFloatUnit),
                              0.005 * short_of));
}

TEST(OptimizerTest, ClearsGradients) {
  nn::Forecaster forecaster = Seeded();
  Optimizer optimizer(*forecaster, {});
  SetGradients(forecaster, 2);
  optimizer.Step(1);
  for (const torch::Tensor& parameter : forecaster->parameters()) EXPECT_FALSE(parameter.grad().defined());
}

TEST(OptimizerTest, RestoredStateGoesOnExactly) {
  nn::Forecaster one = Seeded(), two = Seeded();
  Optimizer first(*one, {}), second(*two, {});
  SetGradients(one, 2);
  first.Step(1);
  ASSERT_TRUE(CopyTensors(first.State(), second.State()).ok());
  second.set_steps(first.steps());
  torch::NoGradGuard no_grad;
  for (size_t i = 0; i < one->parameters().size(); ++i) two->parameters()[i].copy_(one->parameters()[i]);
  SetGradients(one, 3);
  SetGradients(two, 3);
  first.Step(1);
  second.Step(1);
  for (size_t i = 0; i < one->parameters().size(); ++i) {
    EXPECT_TRUE(torch::equal(one->parameters()[i], two->parameters()[i]));
  }
}

TEST(OptimizerTest, LongGradientsAreShortenedTogether) {
  nn::Forecaster one = Seeded(), two = Seeded();
  Optimizer first(*one, {.clip = 0.5}), second(*two, {.clip = 0.5});
  SetGradients(one, 2);
  SetGradients(two, 2);
  double numbers = 0;
  for (torch::Tensor& parameter : two->parameters()) {
    parameter.mutable_grad() *= 1000;
    numbers += static_cast<double>(parameter.numel());
  }
  for (Optimizer* optimizer : {&first, &second}) optimizer->Step(1);
  EXPECT_TRUE(torch::allclose(first.State().at("head.weight.first"), second.State().at("head.weight.first"),
                              2 * Gamma(numbers + 4, kFloatUnit)));  // two norms of all gradients
}

TEST(OptimizerTest, ShortGradientsAreTakenAsTheyAre) {
  nn::Forecaster forecaster = Seeded();
  Optimizer optimizer(*forecaster, {.clip = 1e6});
  SetGradients(forecaster, 2);
  const torch::Tensor gradient = forecaster->head->weight.grad().clone();
  optimizer.Step(1);
  EXPECT_TRUE(torch::allclose(optimizer.State().at("head.weight.first"), 0.1 * gradient, Gamma(4, kFloatUnit)));
}

TEST(RateFactorTest, WarmsUpAndFallsAsACosineToNothing) {
  EXPECT_NEAR(RateFactor(0, 1000), 1.0 / 50, Gamma(8, kDoubleUnit));
  EXPECT_NEAR(RateFactor(50, 1000), 1, 0.01);
  EXPECT_NEAR(RateFactor(500, 1000), 0.5, Gamma(8, kDoubleUnit));
  EXPECT_NEAR(RateFactor(750, 1000), 0.5 * (1 - std::sqrt(0.5)), Gamma(8, kDoubleUnit));
  EXPECT_NEAR(RateFactor(1000, 1000), 0, Gamma(8, kDoubleUnit));
}

TEST(RateFactorTest, ShortRunsWarmUpOverATenth) { EXPECT_GT(RateFactor(1, 20), 0.98); }

}  // namespace
}  // namespace aaren::training
