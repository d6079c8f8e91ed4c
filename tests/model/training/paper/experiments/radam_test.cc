#include "model/training/paper/experiments/radam.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace aaren::training {
namespace {

// A parameter that starts at 0, after steps with the gradient 3.
double After(int steps, double rate) {
  torch::Tensor parameter = torch::zeros({1}, torch::kFloat64).set_requires_grad(true);
  RAdam optimizer({parameter}, rate);
  for (int step = 0; step < steps; ++step) {
    parameter.mutable_grad() = torch::full({1}, 3.0, torch::kFloat64);
    optimizer.Step();
  }
  return parameter.item<double>();
}

TEST(RAdamTest, TheFirstFiveStepsAreMomentumAlone) { EXPECT_NEAR(After(5, 0.1), -5 * 0.1 * 3, 1e-12); }

TEST(RAdamTest, LaterStepsAreRectified) {
  // With a constant gradient Adam's step is the rate. In step 6 the length 1999 - 12 * 0.999^6 / (1 - 0.999^6) is
  // 5.99416, and the factor of the rectification 0.025821.
  EXPECT_NEAR(After(6, 0.1) - After(5, 0.1), -0.1 * 0.025821113, 1e-7);
}

TEST(RAdamTest, AParameterWithoutGradientStays) {
  torch::Tensor used = torch::ones({1}).set_requires_grad(true), unused = torch::ones({1}).set_requires_grad(true);
  RAdam optimizer({used, unused}, 0.1);
  (2 * used).backward();
  optimizer.Step();
  EXPECT_LT(used.item<float>(), 1);
  EXPECT_EQ(unused.item<float>(), 1);
  EXPECT_FALSE(used.grad().defined());
}

}  // namespace
}  // namespace aaren::training
