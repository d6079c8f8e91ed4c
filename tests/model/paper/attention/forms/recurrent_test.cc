#include "model/paper/attention/forms/recurrent.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <vector>

#include "tests/model/attention/prefix_softmax.h"
#include "tests/model/rounding.h"

namespace aaren::attention {
namespace {

// scores [leading.., tokens] and values of three numbers.
struct Inputs {
  torch::Tensor scores, values;
};

const double kRounding = SoftmaxRounding(50, kDoubleUnit);  // for the longest case below

Inputs RandomInputs(std::vector<int64_t> leading, int64_t tokens) {
  torch::manual_seed(21);
  leading.push_back(tokens);
  const torch::Tensor scores = 3 * torch::randn(leading, torch::kFloat64);
  leading.push_back(3);
  return {scores, torch::randn(leading, torch::kFloat64)};
}

TEST(RecurrentAttentionTest, EveryOutputIsTheSoftmaxAverageOfItsPrefix) {
  const Inputs in = RandomInputs({2, 3}, 50);
  EXPECT_TRUE(Matches(RecurrentAttention(in.scores, in.values), ReferenceAttention(in.scores, in.values), kRounding));
}

TEST(RecurrentAttentionTest, RunsOneQueryManyQueriesHeadsAndBatches) {
  for (const std::vector<int64_t>& leading : std::vector<std::vector<int64_t>>{{}, {4}, {2, 3}, {2, 3, 2}}) {
    const Inputs in = RandomInputs(leading, 9);
    EXPECT_TRUE(Matches(RecurrentAttention(in.scores, in.values), ReferenceAttention(in.scores, in.values), kRounding));
  }
}

TEST(RecurrentAttentionTest, OneTokenGivesItsValue) {
  const Inputs in = RandomInputs({2}, 1);
  EXPECT_TRUE(torch::equal(RecurrentAttention(in.scores, in.values).value(), in.values));
}

TEST(RecurrentAttentionTest, LastStateHoldsMaximumDenominatorAndNumerator) {
  const Inputs in = RandomInputs({2, 3}, 50);
  const AttentionState state = RecurrentState(in.scores, in.values).value();
  const torch::Tensor maximum = in.scores.amax(-1), weights = (in.scores - maximum.unsqueeze(-1)).exp();
  EXPECT_TRUE(torch::equal(state.m, maximum));
  EXPECT_LT(Distance(state.c, weights.sum(-1)), 50 * kRounding);
  EXPECT_LT(Distance(state.a, (weights.unsqueeze(-1) * in.values).sum(-2)), 50 * 5 * kRounding);  // values up to 5
}

TEST(RecurrentAttentionTest, ForgettingLowersOlderScores) {
  const Inputs in = RandomInputs({2, 3}, 40);
  const Forgetting forgetting{.positions = torch::randint(0, 9, {40}).cumsum(0),
                              .decay = torch::tensor({0.0, 0.01, 0.7}, torch::kFloat64)};
  EXPECT_TRUE(Matches(RecurrentAttention(in.scores, in.values, forgetting),
                      ReferenceAttention(in.scores, in.values, forgetting),
                      ForgettingRounding(40, 15 + 0.7 * 9 * 40, kDoubleUnit)));
}

// The paper starts from m = 0. Very negative scores then vanish beside the start, and the output is 0 / 0.
TEST(RecurrentAttentionTest, InitialMaximumOfThePaperLosesVeryNegativeScores) {
  const torch::Tensor scores = torch::full({1}, -200.0), values = torch::ones({1, 3});
  AttentionState state = EmptyState({1}, 3, torch::kFloat32);
  EXPECT_TRUE(torch::equal(Output(Fold(state, scores, values)), values));
  state.m.zero_();
  EXPECT_EQ(Fold(state, scores, values).c.item<float>(), 0);
}

}  // namespace
}  // namespace aaren::attention
