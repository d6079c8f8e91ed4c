#include "model/attention/scan/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "model/paper/attention/forms/dense.h"
#include "tests/model/attention/prefix_softmax.h"
#include "tests/model/rounding.h"

namespace aaren::attention {
namespace {

using ::testing::HasSubstr;

constexpr double kMaskedScore = -std::numeric_limits<double>::infinity();

// Two series of three heads at uneven positions.
struct Inputs {
  torch::Tensor scores, values;
  Forgetting forgetting = {};

  std::vector<torch::Tensor> leaves() const {
    std::vector<torch::Tensor> all = {scores, values};
    if (forgetting.any()) all.push_back(forgetting.decay);
    return all;
  }
};

Inputs RandomInputs(int64_t tokens, int64_t width, bool forgets, torch::ScalarType dtype = torch::kFloat64) {
  torch::manual_seed(tokens + width);
  Inputs in = {.scores = torch::randn({2, 3, tokens}, dtype) * 2, .values = torch::randn({2, 3, tokens, width}, dtype)};
  if (forgets) {
    in.forgetting = {.positions = torch::randint(1, 16, {tokens}, torch::kInt64).cumsum(0),
                     .decay = torch::tensor({0.0, 0.001, 0.05}, dtype).requires_grad_()};
  }
  in.scores.requires_grad_();
  in.values.requires_grad_();
  return in;
}

using Form = absl::StatusOr<torch::Tensor> (*)(const torch::Tensor&, const torch::Tensor&, const Forgetting&);

// A fixed weighted sum of all outputs.
torch::Tensor Loss(Form form, const Inputs& in) {
  const torch::Tensor outputs = form(in.scores, in.values, in.forgetting).value();
  torch::manual_seed(5);
  return (outputs * torch::randn(outputs.sizes()).to(outputs.scalar_type())).sum();
}

std::vector<torch::Tensor> Gradients(Form form, const Inputs& in) {
  return torch::autograd::grad({Loss(form, in)}, in.leaves());
}

void ExpectClose(const torch::Tensor& x, const torch::Tensor& y, double tolerance) {
  EXPECT_LE((x.to(torch::kFloat64) - y.to(torch::kFloat64)).abs().max().item<double>(), tolerance);
}

// The same numbers in float64.
torch::Tensor Exact(const torch::Tensor& x) { return x.detach().to(torch::kFloat64).requires_grad_(); }

// A gradient is a sum over the later tokens of the errors of one token's outputs, which are two averages. The sum has
// as many cancelling terms as tokens. Forgetting adds the roundings of scores that have fallen by 40 at
// most.
double GradientRounding(const Inputs& in) {
  const double tokens = static_cast<double>(in.scores.size(-1));
  if (in.scores.scalar_type() == torch::kFloat32) return 2 * ScanRounding(tokens);
  return 2 * ForgettingRounding(tokens, 40, kDoubleUnit);
}

// Tolerates rounding's share of the largest gradient of the dense form in float64, or of `least_scale` if larger.
void ExpectSameGradients(const Inputs& in, double least_scale = 0) {
  const double tolerance = GradientRounding(in);
  Inputs exact = {.scores = Exact(in.scores), .values = Exact(in.values)};
  if (in.forgetting.any()) exact.forgetting = {in.forgetting.positions, Exact(in.forgetting.decay)};
  const std::vector<torch::Tensor> scan = Gradients(ScanAttention, in), dense = Gradients(DenseAttention, exact);
  for (size_t i = 0; i < scan.size(); ++i) {
    ExpectClose(scan[i], dense[i], tolerance * std::max(dense[i].abs().max().item<double>(), least_scale));
  }
}

// Central differences of the loss at every number of `leaf`.
torch::Tensor FiniteDifferences(const Inputs& in, const torch::Tensor& leaf) {
  constexpr double kStep = 1e-5;
  const torch::NoGradGuard no_grad;
  torch::Tensor numbers = leaf.view({-1}), slopes = torch::empty_like(numbers);
  for (int64_t i = 0; i < numbers.numel(); ++i) {
    const double number = numbers[i].item<double>();
    numbers[i] = number + kStep;
    const torch::Tensor above = Loss(ScanAttention, in);
    numbers[i] = number - kStep;
    slopes[i] = (above - Loss(ScanAttention, in)) / (2 * kStep);
    numbers[i] = number;
  }
  return slopes.view(leaf.sizes());
}

TEST(ScanGradientTest, EqualsFiniteDifferences) {
  Inputs in = RandomInputs(9, 3, true);
  in.forgetting.decay = torch::tensor({0.01, 0.001, 0.05}, torch::kFloat64).requires_grad_();  // below 0 is invalid
  const std::vector<torch::Tensor> gradients = Gradients(ScanAttention, in);
  for (size_t i = 0; i < gradients.size(); ++i) {
    // The loss is a sum of 162 normal products. No token is older than 9 x 16, so no third derivative exceeds 162 x
    // 144.
    ExpectClose(gradients[i], FiniteDifferences(in, in.leaves()[i]),
                DifferenceRounding(1e-5, 162, 162 * 144, 16 * 162));
  }
}

TEST(ScanGradientTest, EqualsThatOfTheDenseForm) {
  for (const bool forgets : {false, true}) ExpectSameGradients(RandomInputs(30, 4, forgets));
}

TEST(ScanGradientTest, EqualsThatOfTheDenseFormForOneToken) {
  for (const bool forgets : {false, true}) ExpectSameGradients(RandomInputs(1, 4, forgets));
}

// The widths have every mixture of vectors; the lengths lie around a chunk's.
TEST(ScanGradientTest, Float32EqualsThatOfTheDenseFormAtEveryWidth) {
  for (const int64_t width : {1, 7, 16, 33, 64, 100, 200}) {
    for (const int64_t tokens : {15, 257}) {
      ExpectSameGradients(RandomInputs(tokens, width, width % 2 == 1, torch::kFloat32));
    }
  }
}

TEST(ScanGradientTest, IsFiniteWithExtremeScores) {
  for (const double scale : {1e4, -1e4}) {
    Inputs in = RandomInputs(40, 5, true, torch::kFloat32);
    in.scores = (torch::randn({2, 3, 40}) * scale).requires_grad_();
    for (const torch::Tensor& gradient : Gradients(ScanAttention, in)) {
      EXPECT_TRUE(gradient.isfinite().all().item<bool>());
    }
  }
}

// One token then takes all weight, and a change of its score has no effect except rounding.
TEST(ScanGradientTest, EqualsThatOfTheDenseFormWithExtremeScores) {
  Inputs in = RandomInputs(40, 5, false, torch::kFloat32);
  in.scores = (torch::randn({2, 3, 40}) * 1e4).requires_grad_();
  ExpectSameGradients(in, 1);
}

TEST(ScanGradientTest, MaskedTokensGetNone) {
  for (const torch::ScalarType dtype : {torch::kFloat32, torch::kFloat64}) {
    Inputs in = RandomInputs(20, 5, true, dtype);
    in.scores = in.scores.detach().clone();
    in.scores.slice(2, 0, 3).fill_(kMaskedScore);
    in.scores.slice(2, 8, 11).fill_(kMaskedScore);
    in.scores.requires_grad_();
    in.values = in.values.detach().clone();
    in.values.slice(2, 8, 11).fill_(std::numeric_limits<double>::quiet_NaN());
    in.values.requires_grad_();
    const std::vector<torch::Tensor> gradients = Gradients(ScanAttention, in);
    for (const torch::Tensor& gradient : gradients) EXPECT_TRUE(gradient.isfinite().all().item<bool>());
    EXPECT_EQ(gradients[0].slice(2, 8, 11).abs().max().item<double>(), 0);
    EXPECT_EQ(gradients[1].slice(2, 8, 11).abs().max().item<double>(), 0);
    EXPECT_GT(gradients[1].slice(2, 3, 8).abs().min().item<double>(), 0);
  }
}

TEST(ScanGradientTest, DifferentiatingItAgainIsRefused) {
  const Inputs in = RandomInputs(6, 3, false);
  const auto gradients =
      torch::autograd::grad({Loss(ScanAttention, in)}, in.leaves(), {}, std::nullopt, /*create_graph=*/true);
  try {
    torch::autograd::grad({gradients[0].square().sum()}, in.leaves());
    FAIL() << "it was not";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("ScanAttention has a gradient but no second derivative"));
  }
}

TEST(ScanTest, TakesValuesAndGradientsOfAnyStrides) {
  for (const torch::ScalarType dtype : {torch::kFloat32, torch::kFloat64}) {
    Inputs dense = RandomInputs(50, 20, true, dtype), strided = dense;
    strided.values = dense.values.detach().transpose(1, 2).contiguous().transpose(1, 2).requires_grad_();
    strided.scores = dense.scores.detach().transpose(1, 2).contiguous().transpose(1, 2).requires_grad_();
    ASSERT_FALSE(strided.values.is_contiguous());
    const auto expected = Gradients(ScanAttention, dense), found = Gradients(ScanAttention, strided);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(torch::equal(found[i], expected[i]));
  }
}

TEST(ScanTest, TakesExpandedValues) {
  const torch::Tensor scores = torch::randn({4, 30}), values = torch::randn({30, 1}).expand({4, 30, 6});
  EXPECT_TRUE(torch::equal(ScanAttention(scores, values).value(), ScanAttention(scores, values.clone()).value()));
}

TEST(ScanTest, GivesTheSameBitsForAnyNumberOfThreads) {
  const Inputs in = RandomInputs(300, 24, true, torch::kFloat32);
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto one = Gradients(ScanAttention, in);
  at::set_num_threads(3);
  const auto three = Gradients(ScanAttention, in);
  at::set_num_threads(threads);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(torch::equal(one[i], three[i]));
}

// The kernels of one instruction set, while the object lives.
class OnlyTarget {
 public:
  explicit OnlyTarget(int64_t target) { Set(target); }
  ~OnlyTarget() { Set(0); }

 private:
  static void Set(int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().DeInit();
  }
};

TEST(ScanTest, EveryInstructionSetAgreesWithTheDenseForm) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    const OnlyTarget only(target);
    for (const int64_t width : {3, 16, 72}) {
      const Inputs in = RandomInputs(300, width, true, torch::kFloat32);
      const Forgetting exact = {in.forgetting.positions, Exact(in.forgetting.decay)};
      ExpectClose(ScanAttention(in.scores, in.values, in.forgetting).value(),
                  DenseAttention(Exact(in.scores), Exact(in.values), exact).value(),
                  5 * ScanRounding(300));  // values up to 5
      ExpectSameGradients(in);
    }
  }
}

// The largest outputs bypass the caches, and must equal small outputs of the same numbers.
TEST(ScanTest, LargeOutputsEqualSmallOnes) {
  torch::manual_seed(1);
  const torch::Tensor scores = torch::randn({40, 1024}), values = torch::randn({40, 1024, 80});
  const torch::Tensor together = ScanAttention(scores, values).value();
  for (const int64_t sequence : {0, 17, 39}) {
    EXPECT_TRUE(torch::equal(together[sequence], ScanAttention(scores[sequence], values[sequence]).value()));
  }
}

// A token that takes nearly all weight must not keep the rounding of the displaced value.
TEST(ScanTest, SmallValueAfterALargeOneIsExact) {
  for (const int64_t width : {3, 16, 128}) {
    const torch::Tensor scores = torch::tensor({0.f, 20.f, 20.f});
    const torch::Tensor values = torch::tensor({1e7f, 1.f, 3.f}).unsqueeze(1).expand({3, width});
    const torch::Tensor outputs = ScanAttention(scores, values).value();
    const double large = 1e7 * std::exp(-20.0), first = (large + 1) / (1 + std::exp(-20.0));
    // The large value enters with the last bit of its share, ten roundings of exp(-20) = 2e-9, and adds 2e-2 itself.
    EXPECT_NEAR(outputs[1][width - 1].item<double>(), first, Gamma(10, kFloatUnit));
    EXPECT_NEAR(outputs[2][0].item<double>(), (large + 4) / (2 + std::exp(-20.0)), 4 * Gamma(10, kFloatUnit));
  }
}

// Compares float32 with float64 within the scan's rounding. Float64 has another kernel, tested against plain loops.
void ExpectWithinBound(const torch::Tensor& scores, const torch::Tensor& values, const Forgetting& forgetting = {}) {
  Forgetting exact = forgetting;
  if (exact.any()) exact.decay = exact.decay.to(torch::kFloat64);
  const torch::Tensor s = scores.to(torch::kFloat64), v = values.to(torch::kFloat64);
  const PrefixSoftmax expected = {ScanAttention(s, v, exact).value(), ScanAttention(s, v.abs(), exact).value()};
  EXPECT_TRUE(
      Matches(ScanAttention(scores, values, forgetting), expected, ScanRounding(static_cast<double>(scores.size(-1)))));
}

// The average and the new value differ in their last bits only. The average must not stand still.
TEST(ScanTest, SlowDriftIsFollowedOverALongSequence) {
  for (const int64_t width : {1, 16, 64}) {
    for (const int64_t tokens : {4096, 65536}) {
      torch::manual_seed(3);
      const torch::Tensor drift = torch::linspace(1, 1.0002, tokens).unsqueeze(1);
      const torch::Tensor step = (torch::arange(tokens) < tokens / 2).logical_not().to(torch::kFloat32).unsqueeze(1);
      for (const torch::Tensor& scores : {torch::zeros({tokens}), torch::randn({tokens})}) {
        for (const torch::Tensor& column : {drift, 20 * drift, 1 + 0.001 * step}) {
          const torch::Tensor values = column.expand({tokens, width}).contiguous();
          ExpectWithinBound(scores, values);
        }
      }
    }
  }
}

TEST(ScanTest, ValuesOfManyMagnitudesAreWithinTheBound) {
  torch::manual_seed(4);
  const torch::Tensor scores = 3 * torch::randn({20000});
  const torch::Tensor values = torch::randn({20000, 16}) * torch::pow(10, 12 * torch::rand({20000, 1}) - 6);
  ExpectWithinBound(scores, values);
}

// A small fall of a large score must not be rounded away.
TEST(ScanTest, ForgettingIsExactAtAnyLevelOfTheScores) {
  torch::manual_seed(5);
  const int64_t tokens = 4096;
  const torch::Tensor values = torch::linspace(1, 2, tokens).view({1, 1, tokens, 1}).expand({1, 1, tokens, 16});
  const Forgetting forgetting = {.positions = torch::arange(tokens), .decay = torch::tensor({1e-3f})};
  for (const torch::Tensor& scores : {torch::full({tokens}, 10.f), 10 + torch::randn({tokens}),
                                      torch::full({tokens}, 1e4f), 1e4 * (2 * torch::rand({tokens}) - 1)}) {
    ExpectWithinBound(scores.view({1, 1, tokens}), values, forgetting);
  }
}

TEST(ScanTest, ScoresThatAreNotBelowInfinityMakeLaterOutputsNaN) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const torch::ScalarType dtype : {torch::kFloat32, torch::kFloat64}) {
      torch::Tensor scores = torch::randn({600}, dtype);
      scores[400] = bad;
      const torch::Tensor outputs = ScanAttention(scores, torch::randn({600, 3}, dtype)).value();
      EXPECT_TRUE(outputs.slice(0, 0, 400).isfinite().all().item<bool>());
      EXPECT_TRUE(outputs.slice(0, 400).isnan().all().item<bool>());
    }
  }
}

TEST(ScanTest, TakesValuesThatOverlapInMemory) {
  for (const torch::ScalarType dtype : {torch::kFloat32, torch::kFloat64}) {
    const torch::Tensor scores = torch::randn({7}, dtype);
    const torch::Tensor values = torch::randn({70}, dtype).unfold(0, 64, 1).requires_grad_();
    const torch::Tensor dense = values.detach().clone().contiguous().requires_grad_();
    const torch::Tensor found = ScanAttention(scores, values).value(), expected = ScanAttention(scores, dense).value();
    EXPECT_TRUE(torch::equal(found, expected));
    EXPECT_TRUE(torch::equal(torch::autograd::grad({found.square().sum()}, {values})[0],
                             torch::autograd::grad({expected.square().sum()}, {dense})[0]));
  }
}

TEST(ScanTest, ForgettingOverAVeryLongGapForgetsEverything) {
  const torch::Tensor scores = torch::zeros({1, 1, 3}), values = torch::tensor({1.f, 2.f, 9.f}).view({1, 1, 3, 1});
  const Forgetting forgetting = {.positions = torch::tensor({0.0, 1.0, 1e30}, torch::kFloat64),
                                 .decay = torch::tensor({0.5f})};
  EXPECT_EQ(ScanAttention(scores, values, forgetting).value()[0][0][2].item<float>(), 9);
}

TEST(ScanTest, ADeviceWithoutKernelsIsRefusedByName) {
  const auto options = torch::TensorOptions().device(torch::kMeta);
  const auto outputs = ScanAttention(torch::empty({2, 5}, options), torch::empty({2, 5, 3}, options));
  EXPECT_EQ(outputs.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(outputs.status().message()), HasSubstr("values is on meta"));
}

}  // namespace
}  // namespace aaren::attention
