#include "model/paper/attention/forms/dense.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <vector>

#include "tests/model/attention/prefix_softmax.h"
#include "tests/model/rounding.h"

namespace aaren::attention {
namespace {

const double kRounding = SoftmaxRounding(12, kDoubleUnit);  // for the 12 tokens below

// Two series of three heads. Tokens 0, 1 and 5 of the first series are masked: the values must not enter the outputs.
class DenseAttentionTest : public testing::Test {
 protected:
  DenseAttentionTest() {
    torch::manual_seed(51);
    scores = 2 * torch::randn({2, 3, 12}, torch::kFloat64);
    values = torch::randn({2, 3, 12, 4}, torch::kFloat64);
    for (const int64_t masked : {0, 1, 5}) {
      scores.select(2, masked)[0].fill_(-INFINITY);
      values.select(2, masked)[0].fill_(NAN);
    }
    forgetting = {.positions = torch::randint(0, 5, {12}).cumsum(0),
                  .decay = torch::tensor({0.001, 0.05, 0.5}, torch::kFloat64)};
  }

  torch::Tensor scores, values;
  Forgetting forgetting;
};

TEST_F(DenseAttentionTest, TwoTokensAreAveragedByTheirExponentials) {
  const torch::Tensor outputs =
      DenseAttention(torch::tensor({0.0, std::log(3.0)}), torch::tensor({{10.0}, {2.0}})).value();
  EXPECT_LT(Distance(outputs, torch::tensor({{10.0}, {0.25 * 10 + 0.75 * 2}})), 10 * SoftmaxRounding(2, kFloatUnit));
}

TEST_F(DenseAttentionTest, EqualsPlainLoops) {
  EXPECT_TRUE(Matches(DenseAttention(scores, values), ReferenceAttention(scores, values), kRounding));
}

TEST_F(DenseAttentionTest, ForgettingEqualsPlainLoops) {
  const double largest = 8 + 0.5 * 5 * 12;  // a normal score times 2, and the forgotten amount
  EXPECT_TRUE(Matches(DenseAttention(scores, values, forgetting), ReferenceAttention(scores, values, forgetting),
                      ForgettingRounding(12, largest, kDoubleUnit)));
}

TEST_F(DenseAttentionTest, NothingToAttendToGivesZeros) {
  const torch::Tensor outputs = DenseAttention(scores, values).value();
  EXPECT_TRUE((outputs[0].slice(1, 0, 2) == 0).all().item<bool>());
}

TEST_F(DenseAttentionTest, LastOutputIsTheLastOfAll) {
  const torch::Tensor expected = ReferenceAttention(scores, values).outputs.select(2, 11);
  EXPECT_LT(Distance(LastOutput(scores, values).value(), expected),
            kRounding * values.nan_to_num().abs().max().item<double>());
}

TEST_F(DenseAttentionTest, LastOutputOfMaskedTokensIsZeros) {
  const torch::Tensor masked = torch::full({2, 7}, -INFINITY).requires_grad_();
  const torch::Tensor output = LastOutput(masked, torch::full({2, 7, 3}, NAN)).value();
  EXPECT_TRUE(torch::equal(output, torch::zeros({2, 3})));
  output.sum().backward();
  EXPECT_TRUE(torch::equal(masked.grad(), torch::zeros({2, 7})));
}

// Tests compare the gradients of all forms with the dense form's, and the dense form's with differences.
TEST_F(DenseAttentionTest, GradientsEqualFiniteDifferences) {
  const torch::Tensor weight = torch::randn({2, 3, 12, 4}, torch::kFloat64);
  const auto loss = [&] { return (DenseAttention(scores, values, forgetting).value() * weight).sum(); };
  for (torch::Tensor* input : {&scores, &values, &forgetting.decay}) {
    input->requires_grad_();
    const torch::Tensor gradient = torch::autograd::grad({loss()}, {*input})[0].flatten();
    torch::NoGradGuard no_gradient;
    torch::Tensor numbers = input->view({-1});
    for (int64_t i = 0; i < numbers.numel(); ++i) {
      const double x = numbers[i].item<double>();
      if (!std::isfinite(x)) {
        EXPECT_EQ(gradient[i].item<double>(), 0) << "a masked token";
        continue;
      }
      numbers[i] = x + 1e-5;
      const double above = loss().item<double>();
      numbers[i] = x - 1e-5;
      // The loss is a sum of 288 normal products; the derivatives by a number are at most the elapsed 60 cubed.
      EXPECT_NEAR(gradient[i].item<double>(), (above - loss().item<double>()) / 2e-5,
                  DifferenceRounding(1e-5, 288, 60 * 60 * 60, 16 * 288));
      numbers[i] = x;
    }
    input->requires_grad_(false);
  }
}

TEST_F(DenseAttentionTest, CanBeDifferentiatedTwice) {
  scores.requires_grad_();
  const torch::Tensor loss = DenseAttention(scores, values, forgetting).value().square().sum();
  const torch::Tensor gradient = torch::autograd::grad({loss}, {scores}, {}, std::nullopt, /*create_graph=*/true)[0];
  const torch::Tensor second = torch::autograd::grad({gradient.square().sum()}, {scores})[0];
  EXPECT_TRUE(second.isfinite().all().item<bool>());
  EXPECT_GT(second.abs().max().item<double>(), 0);
}

}  // namespace
}  // namespace aaren::attention
