#include "model/nn/encoder/event_encoder.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

namespace aaren::nn {
namespace {

// Eight equal laws are one law.
LogNormalMixture OneLaw(double mean, double deviation) {
  const auto all = [](double value) { return torch::full({1, 8}, value, torch::kFloat64); };
  return {.log_weight = all(-std::log(8)), .mean = all(mean), .deviation = all(deviation)};
}

torch::Tensor At(double interval) { return torch::full({1}, interval, torch::kFloat64); }

TEST(LogNormalMixtureTest, TheDensityIntegratesToTheProbability) {
  const LogNormalMixture law = OneLaw(0.3, 0.7);
  double below = 0;
  constexpr double kStep = 1e-3;
  for (double interval = kStep / 2; interval < 2; interval += kStep) {
    below += kStep * law.LogDensity(At(interval)).exp().item<double>();
  }
  EXPECT_NEAR(law.LogSurvival(At(2)).exp().item<double>(), 1 - below, 1e-5);
}

TEST(LogNormalMixtureTest, TheMeanIsTheOneOfTheLaw) {
  EXPECT_NEAR(OneLaw(0.3, 0.7).Mean().item<double>(), std::exp(0.3 + 0.49 / 2), 1e-9);
}

TEST(LogNormalMixtureTest, SurvivalIsClampedAndItsGradientIsNot) {
  LogNormalMixture law = OneLaw(0, 0.1);
  law.mean.set_requires_grad(true);
  const torch::Tensor survival = law.LogSurvival(At(1.6));  // 4.7 deviations late
  EXPECT_NEAR(survival.item<double>(), std::log(1e-5), 1e-6);
  survival.backward();
  EXPECT_GT(law.mean.grad().abs().sum().item<double>(), 1e-3);
}

TEST(EventEncoderTest, AForecastDependsOnNoLaterEvent) {
  for (const bool aaren : {false, true}) {
    torch::manual_seed(4);
    EventEncoder model(EventEncoderOptions{.marks = 5, .aaren = aaren});
    model->eval();
    const torch::Tensor intervals = torch::rand({2, 9}), marks = torch::randint(1, 6, {2, 9});
    torch::Tensor later = intervals.clone(), other = marks.clone();
    later.narrow(1, 5, 4) += 1;
    other.narrow(1, 5, 4).fill_(0);
    const torch::Tensor hidden = model(intervals, marks).narrow(1, 0, 5), same = model(later, other).narrow(1, 0, 5);
    EXPECT_LT((hidden - same).abs().max().item<float>(), 1e-6) << aaren;
  }
}

}  // namespace
}  // namespace aaren::nn
