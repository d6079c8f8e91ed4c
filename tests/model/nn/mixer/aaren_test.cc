#include "model/nn/mixer/aaren.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>
#include <vector>

#include "tests/model/distance.h"
#include "tests/model/rounding.h"

namespace aaren::nn {
namespace {

constexpr int64_t kTokens = 24;

Aaren Exact(const AarenOptions& options) {
  torch::manual_seed(3);
  Aaren layer(options);
  layer->to(torch::kFloat64);
  return layer;
}

AarenOptions EverythingOn() {
  return AarenOptions(12, 4)
      .value_width(16)
      .decay({0.001, 0.02, 0.1, 0.3})
      .rates({0, 0, 0, 0, 0.3, 1, 2, 0.05})
      .gate(true);
}

// For outputs up to 5 in size. Positions are at most 16 apart, so a score falls by 16 x 0.3 per token, and an angle,
// which rounds like an exponent, grows by 32.
double Rounding(double furthest = 16 * kTokens) {
  return 5 * (NetworkRounding(1, kTokens, 16, kDoubleUnit) + 4 * 2 * furthest * Gamma(kTokens + 4, kDoubleUnit));
}

torch::Tensor RandomTokens() { return torch::randn({2, kTokens, 12}, torch::kFloat64); }

torch::Tensor UnevenPositions() { return torch::randint(1, 16, {kTokens}, torch::kInt64).cumsum(0); }

TEST(AarenAttentionTest, PlainLayerHasThePaperParameterCount) {
  int64_t count = 0;
  for (const torch::Tensor& parameter : Aaren(AarenOptions(512, 8))->parameters()) count += parameter.numel();
  EXPECT_EQ(count, 4 * (512 * 512 + 512) + 512);
}

TEST(AarenAttentionTest, FoldedScoreEqualsUnfoldedUpToAConstantPerHead) {
  Aaren layer = Exact(AarenOptions(12, 4));
  const torch::Tensor x = RandomTokens();
  const torch::Tensor difference = layer->UnfoldedScore(x) - torch::matmul(x, layer->FoldedQuery().t());
  EXPECT_GT(difference.abs().max().item<double>(), 1e-3) << "the key bias";
  EXPECT_LT(Distance(difference, difference[0][0].expand_as(difference)), Rounding());
}

// The paper's formulas as written: keys, one softmax per prefix, no folding.
TEST(AarenAttentionTest, PlainLayerEqualsAttentionAsWritten) {
  Aaren layer = Exact(AarenOptions(12, 4));
  const torch::Tensor x = RandomTokens();
  const torch::Tensor scores = layer->UnfoldedScore(x), values = layer->value(x).view({2, kTokens, 4, 3});
  std::vector<torch::Tensor> outputs;
  for (int64_t k = 1; k <= kTokens; ++k) {
    const torch::Tensor weights = torch::softmax(scores.narrow(1, 0, k), 1);
    outputs.push_back((weights.unsqueeze(-1) * values.narrow(1, 0, k)).sum(1).flatten(-2));
  }
  const torch::Tensor expected = layer->output(torch::stack(outputs, 1));
  EXPECT_LT(Distance(layer->ForwardAt(x, torch::arange(kTokens)), expected), Rounding());
}

// Every option at once against its definition: pair j of a value dt tokens old arrives turned by -rate_j dt.
TEST(AarenAttentionTest, OptionsFollowTheirDefinitions) {
  Aaren layer = Exact(EverythingOn());
  const torch::Tensor x = RandomTokens(), positions = UnevenPositions();
  const torch::Tensor values = layer->value(x);
  const int64_t last = kTokens - 1;
  const torch::Tensor elapsed = (positions[last] - positions).to(torch::kFloat64);               // [N]
  const torch::Tensor logits = layer->UnfoldedScore(x) - elapsed.unsqueeze(1) * layer->Decay();  // [B, N, H]
  const torch::Tensor angle = -elapsed.unsqueeze(1) * layer->rates;                              // [N, V / 2]
  const torch::Tensor turned = torch::view_as_real(torch::view_as_complex(values.unflatten(-1, {8, 2}).contiguous()) *
                                                   torch::polar(torch::ones_like(angle), angle))
                                   .flatten(-2);
  const torch::Tensor weights = torch::softmax(logits, 1).unsqueeze(-1);
  const torch::Tensor average = (weights * turned.unflatten(-1, {4, 4})).sum(1).flatten(-2);
  const torch::Tensor gated = average * 2 * torch::sigmoid(layer->gate(x.select(1, last)));
  EXPECT_LT(Distance(layer->ForwardAt(x, positions).select(1, last), layer->output(gated)), Rounding());
}

TEST(AarenAttentionTest, OnlyDifferencesOfPositionsMatter) {
  Aaren layer = Exact(EverythingOn());
  const torch::Tensor x = RandomTokens(), positions = UnevenPositions();
  EXPECT_LT(Distance(layer->ForwardAt(x, positions), layer->ForwardAt(x, positions + 1000)),
            Rounding(1000 + 16 * kTokens));
}

TEST(AarenAttentionTest, OutputDependsOnThePastOnly) {
  Aaren layer = Exact(EverythingOn());
  const torch::Tensor x = RandomTokens(), positions = UnevenPositions();
  const torch::Tensor changed = x.clone();
  changed.slice(1, 10).add_(1);
  EXPECT_TRUE(torch::equal(layer->ForwardAt(x, positions).slice(1, 0, 10),
                           layer->ForwardAt(changed, positions).slice(1, 0, 10)));
}

TEST(AarenAttentionTest, ForgettingRatesStartWhereTheyWereSet) {
  EXPECT_LT(Distance(Exact(EverythingOn())->Decay(), torch::tensor({0.001, 0.02, 0.1, 0.3}, torch::kFloat64)),
            Gamma(8, kFloatUnit));  // the parameter is the logarithm, set in float
  EXPECT_EQ(Exact(AarenOptions(12, 4))->Decay().abs().max().item<double>(), 0);
}

TEST(AarenAttentionTest, StepEqualsForwardWithEverythingOn) {
  Aaren layer = Exact(EverythingOn());
  const torch::Tensor x = RandomTokens(), whole = layer(x).value();
  MixerState state = layer->Start(2);
  for (int64_t i = 0; i < kTokens; ++i) {
    EXPECT_LT(Distance(layer->Step(state, x.select(1, i)).value(), whole.select(1, i)), Rounding()) << "token " << i;
  }
}

TEST(AarenAttentionTest, TokensWithoutPositionsAreOneApart) {
  Aaren layer = Exact(EverythingOn());
  const torch::Tensor x = RandomTokens();
  EXPECT_LT(Distance(layer(x).value(), layer->ForwardAt(x, torch::arange(3, 3 + kTokens))), Rounding());
}

TEST(AarenAttentionTest, StateIsAMaximumADenominatorAndANumeratorPerHead) {
  const MixerState state = Aaren(AarenOptions(512, 4))->Start(3);
  EXPECT_EQ(state.bytes(), 3 * (512 + 2 * 4) * 4);
}

TEST(AarenAttentionTest, PositionsThatDescendAreRefused) {
  Aaren layer = Exact(EverythingOn());
  EXPECT_THROW(layer->ForwardAt(RandomTokens(), torch::arange(kTokens).flip(0)), c10::Error);
}

TEST(AarenAttentionTest, HeadsThatDoNotDivideTheWidthAreRefused) {
  EXPECT_THROW(Aaren(AarenOptions(10, 4)), c10::Error);
}

TEST(AarenAttentionTest, OptionsThatDoNotFitAreNamedWithBothValues) {
  const auto refusal = [](const AarenOptions& options) { return std::string(RequireAaren(options).message()); };
  EXPECT_EQ(refusal(AarenOptions(8, 0)), "width is 8; a positive multiple of the 0 heads is needed");
  EXPECT_EQ(refusal(AarenOptions(8, 4).decay({0.1})), "decay has 1 rates; one for each of the 4 heads is needed");
  EXPECT_EQ(refusal(AarenOptions(8, 2).decay({0.1, -0.5})), "decay is -0.5; more than 0 is needed");
  EXPECT_EQ(refusal(AarenOptions(8, 2).rates({1})), "rates has 1 rates; one for each pair of the 8 values is needed");
  EXPECT_THROW(Aaren(AarenOptions(8, 0)), c10::Error);
}

}  // namespace
}  // namespace aaren::nn
