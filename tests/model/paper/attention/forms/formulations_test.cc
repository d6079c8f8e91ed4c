// Requirements that every form of attention with a constant query must meet.

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "model/paper/attention/forms/dense.h"
#include "model/paper/attention/forms/form.h"
#include "tests/model/attention/prefix_softmax.h"
#include "tests/model/rounding.h"

namespace aaren::attention {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Inputs in float64; values have a width of 3.
struct Inputs {
  torch::Tensor scores, values;
};

Inputs RandomInputs(std::vector<int64_t> leading, int64_t tokens) {
  leading.push_back(tokens);
  const torch::Tensor scores = 2 * torch::randn(leading, torch::kFloat64);
  leading.push_back(3);
  return {scores, torch::randn(leading, torch::kFloat64)};
}

Forgetting SlowForgetting(int64_t tokens) {
  return {.positions = torch::randint(0, 8, {tokens}).cumsum(0),
          .decay = torch::tensor({0.0, 0.001, 0.01}, torch::kFloat64)};
}

Forgetting As(torch::ScalarType type, Forgetting forgetting) {
  if (forgetting.any()) forgetting.decay = forgetting.decay.to(type);
  return forgetting;
}

// A bound of the error, given the unit of the numbers.
using Rounding = std::function<double(double unit)>;

// The bound for averages of `tokens` tokens.
Rounding Averages(double tokens) {
  return [=](double unit) { return SoftmaxRounding(tokens, unit); };
}

// Compares every form in both precisions with plain loops over the same numbers.
void ExpectEveryFormRight(const Inputs& in, const Forgetting& forgetting, const Rounding& rounding) {
  for (const torch::ScalarType type : {torch::kFloat32, torch::kFloat64}) {
    const torch::Tensor scores = in.scores.to(type), values = in.values.to(type);
    const Forgetting as_type = As(type, forgetting);
    const PrefixSoftmax expected = ReferenceAttention(scores, values, as_type);
    for (const AttentionForm form : kAttentionForms) {
      EXPECT_TRUE(Matches(ConstantQueryAttention(form, scores, values, as_type), expected,
                          rounding(type == torch::kFloat32 ? kFloatUnit : kDoubleUnit)))
          << AttentionFormName(form) << " in " << toString(type) << " on scores " << scores.sizes();
    }
  }
}

void ExpectEveryFormRight(const Inputs& in) {
  ExpectEveryFormRight(in, {}, Averages(static_cast<double>(in.scores.size(-1))));
}

class AttentionFormulationsTest : public testing::Test {
 protected:
  AttentionFormulationsTest() { torch::manual_seed(81); }
};

TEST_F(AttentionFormulationsTest, RandomLengthsAndHeads) {
  for (int i = 0; i < 12; ++i) {
    const auto tokens = static_cast<int64_t>(std::pow(800, torch::rand({1}).item<double>()));
    const int64_t batch = torch::randint(1, 4, {1}).item<int64_t>(), heads = torch::randint(1, 5, {1}).item<int64_t>();
    ExpectEveryFormRight(RandomInputs({batch, heads}, tokens));
  }
}

TEST_F(AttentionFormulationsTest, LongSequences) {
  ExpectEveryFormRight(RandomInputs({1}, torch::randint(1000, 2000, {1}).item<int64_t>()));
  ExpectEveryFormRight(RandomInputs({}, 4096));
}

TEST_F(AttentionFormulationsTest, EveryShortLength) {
  for (int64_t tokens = 1; tokens <= 20; ++tokens) ExpectEveryFormRight(RandomInputs({2}, tokens));
}

TEST_F(AttentionFormulationsTest, ScoresUpToTenThousandEitherWay) {
  Inputs in = RandomInputs({2, 3}, 300);
  in.scores = 1e4 * (2 * torch::rand_like(in.scores) - 1);
  ExpectEveryFormRight(in);
}

TEST_F(AttentionFormulationsTest, ScoresFarFromZeroThatDifferLittle) {
  for (const double offset : {1e4, -1e4}) {
    Inputs in = RandomInputs({2, 3}, 300);
    in.scores += offset;
    ExpectEveryFormRight(in);
  }
}

TEST_F(AttentionFormulationsTest, EqualScores) {
  for (const double score : {-1e4, 0.0, 1e4}) {
    Inputs in = RandomInputs({2}, 300);
    in.scores.fill_(score);
    ExpectEveryFormRight(in);
  }
}

// Every addition of a sum may round the same way, so errors do not cancel: 4,096 additions, the product with the
// weight, and the quotient. Weights are exact.
TEST_F(AttentionFormulationsTest, EqualScoresAndEqualValues) {
  ExpectEveryFormRight({torch::zeros({4096}, torch::kFloat64), torch::full({4096, 1}, 0.1, torch::kFloat64)}, {},
                       [](double unit) { return Gamma(4096 + 3, unit); });
}

TEST_F(AttentionFormulationsTest, RisingAndFallingScores) {
  Inputs in = RandomInputs({}, 700);
  in.scores = torch::arange(700).to(torch::kFloat64);
  ExpectEveryFormRight(in);
  ExpectEveryFormRight({-in.scores, in.values});
}

TEST_F(AttentionFormulationsTest, MaskedPrefixes) {
  Inputs in = RandomInputs({2, 3}, 130);
  for (int64_t h = 0; h < 3; ++h) in.scores.select(1, h).slice(-1, 0, 50 * h + 1).fill_(-kInfinity);
  ExpectEveryFormRight(in);
}

TEST_F(AttentionFormulationsTest, MaskedTokensAnywhereWithValuesThatAreNotFinite) {
  Inputs in = RandomInputs({2, 3}, 200);
  const torch::Tensor masked = torch::rand_like(in.scores) < 0.4;
  in.scores.masked_fill_(masked, -kInfinity);
  in.values.masked_fill_(masked.unsqueeze(-1), NAN);
  in.values.masked_fill_(masked.unsqueeze(-1).logical_and(torch::rand_like(in.values) < 0.5), kInfinity);
  ExpectEveryFormRight(in);
}

TEST_F(AttentionFormulationsTest, EverythingMaskedGivesZeros) {
  Inputs in = RandomInputs({2, 3}, 70);
  in.scores.fill_(-kInfinity);
  in.values.fill_(NAN);
  ExpectEveryFormRight(in);
  for (const AttentionForm form : kAttentionForms) {
    const torch::Tensor outputs = ConstantQueryAttention(form, in.scores, in.values).value();
    EXPECT_TRUE((outputs == 0).all().item<bool>()) << AttentionFormName(form);
  }
}

TEST_F(AttentionFormulationsTest, Forgetting) {
  const double largest = 10 + 0.01 * 8 * 250;  // a normal score times 2, and the forgotten amount
  ExpectEveryFormRight(RandomInputs({2, 3}, 250), SlowForgetting(250),
                       [=](double unit) { return ForgettingRounding(250, largest, unit); });
}

TEST_F(AttentionFormulationsTest, InputsWithOtherStrides) {
  const Inputs in = {torch::randn({2, 90, 3}, torch::kFloat64).transpose(1, 2),
                     torch::randn({2, 90, 3, 8}, torch::kFloat64).transpose(1, 2).slice(-1, 0, 8, 2)};
  ASSERT_FALSE(in.scores.is_contiguous() || in.values.is_contiguous());
  ExpectEveryFormRight(in);
}

TEST_F(AttentionFormulationsTest, LaterTokensDoNotChangeEarlierOutputs) {
  const Inputs in = RandomInputs({2, 3}, 150);
  for (const AttentionForm form : kAttentionForms) {
    const torch::Tensor before = ConstantQueryAttention(form, in.scores, in.values).value();
    const torch::Tensor scores = in.scores.clone(), values = in.values.clone();
    scores.slice(2, 77).add_(5);
    values.slice(2, 77).mul_(-3);
    const torch::Tensor after = ConstantQueryAttention(form, scores, values).value();
    EXPECT_TRUE(torch::equal(before.slice(2, 0, 77), after.slice(2, 0, 77))) << AttentionFormName(form);
    EXPECT_FALSE(torch::equal(before.slice(2, 77), after.slice(2, 77))) << AttentionFormName(form);
  }
}

// Gradients of a weighted sum of the outputs.
std::vector<torch::Tensor> Gradients(const absl::StatusOr<torch::Tensor>& outputs,
                                     const std::vector<torch::Tensor>& inputs) {
  const torch::Tensor weight = torch::linspace(-1, 2, outputs->numel(), outputs->options()).cos();
  return torch::autograd::grad({(*outputs * weight.view(outputs->sizes())).sum()}, inputs);
}

TEST_F(AttentionFormulationsTest, GradientsEqualThoseOfDenseAttention) {
  Inputs in = RandomInputs({2, 3}, 75);
  in.scores.select(1, 1).slice(-1, 0, 4).fill_(-kInfinity);
  in.values.select(1, 1).slice(-2, 0, 4).fill_(NAN);
  const Forgetting forgetting = SlowForgetting(75);
  const std::vector<torch::Tensor> inputs = {in.scores.requires_grad_(), in.values.requires_grad_(),
                                             forgetting.decay.requires_grad_()};
  const auto expected = Gradients(DenseAttention(in.scores, in.values, forgetting), inputs);
  // A score's gradient has a term for each later output, with 3 numbers of at most 5 and the average beside each. A
  // decay's gradient has a term for each pair of tokens of 2 series, times the time between both.
  const double rounding = 2 * ForgettingRounding(75, 10 + 0.01 * 8 * 75, kDoubleUnit), terms = 2 * 75 * 3 * 5;
  for (const AttentionForm form : kAttentionForms) {
    const auto found = Gradients(ConstantQueryAttention(form, in.scores, in.values, forgetting), inputs);
    EXPECT_LT(Distance(found[0], expected[0]), rounding * terms) << AttentionFormName(form) << ", scores";
    EXPECT_LT(Distance(found[1], expected[1]), rounding * terms) << AttentionFormName(form) << ", values";
    EXPECT_LT(Distance(found[2], expected[2]), rounding * terms * 2 * 8 * 75) << AttentionFormName(form) << ", decay";
  }
}

TEST_F(AttentionFormulationsTest, GradientsAreFiniteAtExtremeScores) {
  const torch::Tensor values = torch::randn({5, 75, 3}).requires_grad_();
  torch::Tensor scores = torch::full({5, 75}, -1e4f);
  scores[1] = 1e4 * (2 * torch::rand({75}) - 1);
  scores[2].fill_(-kInfinity);
  scores[3].slice(0, 0, 74).fill_(-kInfinity);
  scores[4].slice(0, 0, 75, 2).fill_(3e38);
  scores.requires_grad_();
  for (const AttentionForm form : kAttentionForms) {
    const auto gradients = Gradients(ConstantQueryAttention(form, scores, values), {scores, values});
    EXPECT_TRUE(gradients[0].isfinite().all().item<bool>()) << AttentionFormName(form);
    EXPECT_TRUE(gradients[1].isfinite().all().item<bool>()) << AttentionFormName(form);
  }
}

struct BadCall {
  torch::Tensor scores, values;
  Forgetting forgetting;
  std::string message;
};

std::vector<BadCall> BadCalls() {
  const torch::Tensor s = torch::ones({2, 3, 5}), v = torch::ones({2, 3, 5, 4});
  const torch::Tensor at = torch::arange(5), decay = torch::ones({3});
  return {
      {s, torch::ones({2, 3, 6, 4}), {}, "values has shape [2, 3, 6, 4]; [2, 3, 5, *] is needed"},
      {s, torch::ones({2, 5, 4}), {}, "values has shape [2, 5, 4]; [2, 3, 5, *] is needed"},
      {torch::tensor(1.0f), v, {}, "scores has shape []; at least 1 dimensions are needed"},
      {torch::ones({2, 0}), torch::ones({2, 0, 4}), {}, "values has shape [2, 0, 4]; every size must be at least 1"},
      {s.to(torch::kInt64), v, {}, "scores is Long; Float or Double is needed"},
      {s, v.to(torch::kFloat64), {}, "values is Double; scores is Float"},
      {s, v.to(torch::kMeta), {}, "values is on meta; scores is on cpu"},
      {s, v, {at, torch::tensor({0.1f, -0.5f, 0.f})}, "decay[1] is -0.5; at least 0 is needed"},
      {s, v, {at, torch::ones({4})}, "decay has shape [4]; [3] is needed"},
      {s, v, {at, decay.to(torch::kFloat64)}, "decay is Double; scores is Float"},
      {s, v, {torch::arange(6), decay}, "positions has shape [6]; [5] is needed"},
      {s, v, {torch::tensor({0, 1, 5, 4, 6}), decay}, "positions[3] is 4; at least positions[2] = 5 is needed"},
      {s[0][0], v[0][0], {at, decay}, "scores has shape [5]; at least 2 dimensions are needed"},
  };
}

TEST_F(AttentionFormulationsTest, WrongArgumentsAreNamedWithBothValues) {
  for (const BadCall& call : BadCalls()) {
    for (const AttentionForm form : kAttentionForms) {
      EXPECT_EQ(ConstantQueryAttention(form, call.scores, call.values, call.forgetting).status(),
                absl::InvalidArgumentError(call.message))
          << AttentionFormName(form);
    }
  }
}

}  // namespace
}  // namespace aaren::attention
