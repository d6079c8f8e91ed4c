#include "model/attention/attention_state.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>
#include <vector>

#include "model/attention/element.h"
#include "tests/model/attention/prefix_softmax.h"
#include "tests/model/rounding.h"

namespace aaren::attention {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kCases = 5000, kWidth = 3;

// Scores of every kind: ordinary, within ±1e4, all equal, so far apart that exponentials vanish, and masked.
torch::Tensor RandomScores(at::IntArrayRef sizes, torch::ScalarType type) {
  const torch::Tensor kind = torch::randint(0, 6, sizes), normal = torch::randn(sizes, torch::kFloat64);
  torch::Tensor scores = normal;
  scores = torch::where(kind == 1, 1e4 * (2 * torch::rand(sizes, torch::kFloat64) - 1), scores);
  scores = torch::where(kind == 2, torch::full_like(scores, -1e4), scores);
  scores = torch::where(kind == 3, 1e30 * normal.sign(), scores);
  scores = torch::where(kind == 4, torch::full_like(scores, -kInfinity), scores);
  return scores.to(type);
}

torch::Tensor RandomValues(const torch::Tensor& scores) {
  std::vector<int64_t> sizes = scores.sizes().vec();
  sizes.push_back(kWidth);
  return torch::randn(sizes, torch::kFloat64).to(scores.scalar_type());
}

AttentionState Empty(int64_t count, torch::ScalarType type) { return EmptyState({count}, kWidth, type); }

// States of zero to three tokens each.
AttentionState RandomStates(torch::ScalarType type) {
  const torch::Tensor scores = RandomScores({kCases, 3}, type);
  return FoldBlock(Empty(kCases, type), scores, RandomValues(scores));
}

// Expects states that are equal up to the rounding of at most ten tokens in either order; m is a maximum and never
// rounded. None of a hundred thousand normal values is beyond 6, so a is rounded like 6 c.
void ExpectSame(const AttentionState& x, const AttentionState& y) {
  const double tolerance = SoftmaxRounding(10, x.m.scalar_type() == torch::kFloat64 ? kDoubleUnit : kFloatUnit);
  EXPECT_TRUE(torch::equal(x.m, y.m));
  EXPECT_TRUE(((x.c - y.c).abs() <= tolerance * y.c).all().item<bool>());
  EXPECT_TRUE(((x.a - y.a).abs() <= tolerance * 6 * y.c.unsqueeze(-1)).all().item<bool>());
}

void ExpectIdentical(const AttentionState& x, const AttentionState& y) {
  EXPECT_TRUE(torch::equal(x.m, y.m));
  EXPECT_TRUE(torch::equal(x.c, y.c));
  EXPECT_TRUE(torch::equal(x.a, y.a));
}

class AttentionStateTest : public testing::TestWithParam<torch::ScalarType> {
 protected:
  void SetUp() override { torch::manual_seed(11); }
};

INSTANTIATE_TEST_SUITE_P(Types, AttentionStateTest, testing::Values(torch::kFloat32, torch::kFloat64),
                         [](const auto& info) { return std::string(torch::toString(info.param)); });

TEST_P(AttentionStateTest, CombineIsAssociative) {
  const AttentionState x = RandomStates(GetParam()), y = RandomStates(GetParam()), z = RandomStates(GetParam());
  ExpectSame(Combine(Combine(x, y), z), Combine(x, Combine(y, z)));
}

TEST_P(AttentionStateTest, CombineIsCommutative) {
  const AttentionState x = RandomStates(GetParam()), y = RandomStates(GetParam());
  ExpectSame(Combine(x, y), Combine(y, x));
}

TEST_P(AttentionStateTest, EmptyStateIsTheIdentity) {
  const AttentionState x = RandomStates(GetParam()), empty = Empty(kCases, GetParam());
  ExpectIdentical(Combine(x, empty), x);
  ExpectIdentical(Combine(empty, x), x);
}

TEST_P(AttentionStateTest, FoldEqualsCombineWithALeaf) {
  const AttentionState x = RandomStates(GetParam());
  const torch::Tensor scores = RandomScores({kCases}, GetParam()), values = RandomValues(scores);
  ExpectSame(Fold(x, scores, values), Combine(x, Leaf(scores, values)));
}

TEST_P(AttentionStateTest, BlockEqualsItsTokensFoldedOneByOne) {
  const AttentionState before = RandomStates(GetParam());
  const torch::Tensor scores = RandomScores({kCases, 7}, GetParam()), values = RandomValues(scores);
  AttentionState folded = before;
  for (int64_t i = 0; i < 7; ++i) folded = Fold(folded, scores.select(1, i), values.select(1, i));
  ExpectSame(FoldBlock(before, scores, values), folded);
}

TEST_P(AttentionStateTest, MaskedTokenChangesNothingWhateverItsValue) {
  const AttentionState x = RandomStates(GetParam());
  const torch::Tensor masked = torch::full({kCases}, -kInfinity, GetParam());
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 1e30}) {
    const torch::Tensor values = torch::full({kCases, kWidth}, value, GetParam());
    ExpectIdentical(Leaf(masked, values), Empty(kCases, GetParam()));
    ExpectIdentical(Fold(x, masked, values), x);
    ExpectIdentical(FoldBlock(x, masked.unsqueeze(1), values.unsqueeze(1)), x);
  }
}

TEST_P(AttentionStateTest, OutputsAreFiniteAtEveryScore) {
  EXPECT_TRUE(Output(Combine(RandomStates(GetParam()), RandomStates(GetParam()))).isfinite().all().item<bool>());
}

TEST_P(AttentionStateTest, EmptyStateGivesZeros) {
  EXPECT_TRUE(torch::equal(Output(Empty(2, GetParam())), torch::zeros({2, kWidth}, GetParam())));
}

TEST_P(AttentionStateTest, AgingLowersScoresOfWhatIsRemembered) {
  const torch::Tensor score = torch::tensor({1.0, -2.0, -kInfinity}, GetParam()), values = RandomValues(score);
  const torch::Tensor amount = torch::tensor({0.5, 3.0, 2.0}, GetParam());
  ExpectIdentical(Age(Leaf(score, values), amount), Leaf(score - amount, values));
}

TEST(AttentionStateElementTest, CombineAgreesWithElement) {
  const std::vector<double> v = {1, 2}, w = {3, -4};
  const Element<double> expected = Combine(Element<double>(0.3, v), Element<double>(-2, w));
  const AttentionState found = Combine(Leaf(torch::tensor(0.3, torch::kFloat64), torch::tensor(v, torch::kFloat64)),
                                       Leaf(torch::tensor(-2.0, torch::kFloat64), torch::tensor(w, torch::kFloat64)));
  EXPECT_EQ(found.m.item<double>(), expected.m);
  const double tolerance = SoftmaxRounding(2, kDoubleUnit);  // values are at most 4
  EXPECT_NEAR(found.c.item<double>(), expected.c, tolerance * expected.c);
  EXPECT_LT(Distance(found.a, torch::tensor(expected.a, torch::kFloat64)), tolerance * 4 * expected.c);
}

// The gradient of a weighted sum of Output with respect to the scores and values of six tokens.
std::vector<torch::Tensor> Gradient(const torch::Tensor& output, const torch::Tensor& scores,
                                    const torch::Tensor& values) {
  return torch::autograd::grad({(output * torch::arange(1, 4)).sum()}, {scores, values}, {}, /*retain_graph=*/true);
}

TEST(AttentionStateGradientTest, EqualsThatOfSoftmax) {
  torch::manual_seed(12);
  const torch::Tensor scores = torch::tensor({0.5, 0.5, -1.0, 2.0, 2.0, -3.0}, torch::kFloat64).requires_grad_();
  const torch::Tensor values = torch::randn({6, 3}, torch::kFloat64).requires_grad_();
  const AttentionState left = Combine(Leaf(scores[0], values[0]), Leaf(scores[1], values[1]));
  const AttentionState right =
      Fold(FoldBlock(EmptyState({}, 3, torch::kFloat64), scores.slice(0, 2, 5), values.slice(0, 2, 5)), scores[5],
           values[5]);
  const auto found = Gradient(Output(Combine(left, right)), scores, values);
  const auto expected = Gradient(torch::matmul(torch::softmax(scores, 0), values), scores, values);
  // The terms are six tokens of three numbers of at most 3, times weights of at most 3, and the average beside each.
  const double tolerance = SoftmaxRounding(6, kDoubleUnit) * 2 * 6 * 3 * 3 * 3;
  EXPECT_LT(Distance(found[0], expected[0]), tolerance);
  EXPECT_LT(Distance(found[1], expected[1]), tolerance);
}

TEST(AttentionStateGradientTest, IsFiniteBesideMaskedTokensAndExtremeScores) {
  const torch::Tensor scores = torch::tensor({-kInfinity, 1e4, -1e4, -kInfinity, 1e30, -1e30}).requires_grad_();
  const torch::Tensor values = torch::full({6, 3}, 2.0).index_put_({torch::tensor({0, 3})}, NAN).requires_grad_();
  const AttentionState masked = Combine(Leaf(scores[0], values[0]), EmptyState({}, 3, torch::kFloat32));
  const AttentionState folded = Fold(Fold(masked, scores[3], values[3]), scores[2], values[2]);
  const AttentionState all = Combine(FoldBlock(folded, scores.slice(0, 0, 4), values.slice(0, 0, 4)),
                                     Combine(Leaf(scores[4], values[4]), Leaf(scores[5], values[5])));
  for (const torch::Tensor& output : {Output(masked), Output(folded), Output(all)}) {
    const auto gradient = Gradient(output, scores, values);
    EXPECT_TRUE(gradient[0].isfinite().all().item<bool>()) << gradient[0];
    EXPECT_TRUE(gradient[1].isfinite().all().item<bool>()) << gradient[1];
  }
}

}  // namespace
}  // namespace aaren::attention
