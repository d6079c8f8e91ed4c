#include "model/paper/attention/linear/linear.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/model/attention/peak_memory.h"
#include "tests/model/distance.h"
#include "tests/model/rounding.h"

namespace aaren::attention {
namespace {

struct Inputs {
  torch::Tensor queries, keys, values;
};

Inputs RandomInputs(int64_t tokens, torch::ScalarType dtype = torch::kFloat64, double scale = 1) {
  torch::manual_seed(tokens);
  const auto random = [&](int64_t width) { return scale * torch::randn({2, 3, tokens, width}, dtype); };
  return {.queries = random(4), .keys = random(4), .values = random(5)};
}

Inputs Differentiable(const Inputs& in) {
  return {.queries = in.queries.clone().requires_grad_(),
          .keys = in.keys.clone().requires_grad_(),
          .values = in.values.clone().requires_grad_()};
}

torch::Tensor Scan(const Inputs& in) { return CausalLinearAttention(in.queries, in.keys, in.values).value(); }

torch::Tensor Dense(const Inputs& in) { return DenseCausalLinearAttention(in.queries, in.keys, in.values).value(); }

torch::Tensor Recurrent(const Inputs& in) {
  LinearState state = EmptyLinearState({2, 3}, 4, 5, in.queries.options());
  std::vector<torch::Tensor> outputs;
  for (int64_t i = 0; i < in.queries.size(2); ++i) {
    state = Fold(state, in.keys.select(2, i), in.values.select(2, i));
    outputs.push_back(Output(state, in.queries.select(2, i)));
  }
  return torch::stack(outputs, 2);
}

// For an output after `tokens` tokens, an average of values of at most 5. A weight is a sum of 4 products of features
// with an exponential each, and passes a sum over the tokens in numerator and denominator.
double Rounding(int64_t tokens) { return 5 * 2 * LikelyGamma(static_cast<double>(tokens) + 16, kDoubleUnit); }

// For a gradient: a sum over the tokens of gradients of single outputs, each at most as large as the largest of all.
double GradientRounding(int64_t tokens, const torch::Tensor& expected) {
  return Rounding(tokens) * static_cast<double>(tokens) * (1 + expected.abs().max().item<double>());
}

// Gradients of a fixed weighted sum of the outputs at queries, keys and values.
template <typename Form>
std::vector<torch::Tensor> Gradients(const Inputs& in, Form form) {
  const Inputs leaves = Differentiable(in);
  torch::manual_seed(9);
  const torch::Tensor outputs = form(leaves);
  return torch::autograd::grad({(outputs * torch::randn_like(outputs)).sum()},
                               {leaves.queries, leaves.keys, leaves.values});
}

// One number of the output of one token as written in linear.h, in plain loops over doubles.
double OutputAsWritten(const Inputs& in, int64_t token, int64_t column) {
  const auto phi = [](const torch::Tensor& x) {
    const double value = x.item<double>();
    return value > 0 ? value + 1 : std::exp(value);
  };
  const torch::Tensor q = in.queries[0][0][token], k = in.keys[0][0], v = in.values[0][0];
  double numerator = 0, denominator = 0;
  for (int64_t j = 0; j <= token; ++j) {
    double weight = 0;
    for (int64_t i = 0; i < q.size(0); ++i) weight += phi(q[i]) * phi(k[j][i]);
    numerator += weight * v[j][column].item<double>();
    denominator += weight;
  }
  return numerator / denominator;
}

// One token, one chunk exactly and almost, and lengths that no chunk divides.
constexpr int64_t kLengths[] = {1, 2, 63, 64, 65, 130, 257};

TEST(LinearAttentionTest, DenseFormFollowsTheDefinition) {
  const Inputs in = RandomInputs(12);
  for (const int64_t token : {0, 5, 11}) {
    EXPECT_NEAR(Dense(in)[0][0][token][3].item<double>(), OutputAsWritten(in, token, 3), Rounding(12));
  }
}

TEST(LinearAttentionTest, FeaturesAreEluPlusOneAndPositiveFarBelowZero) {
  const torch::Tensor x = torch::linspace(-5, 5, 41, torch::kFloat64);
  EXPECT_LT(Distance(PositiveFeatures(x), torch::elu(x) + 1), 6 * Gamma(4, kDoubleUnit));  // up to 6
  EXPECT_FLOAT_EQ(PositiveFeatures(torch::tensor({-30.0f})).item<float>(), std::exp(-30.0f)) << "elu + 1 rounds to 0";
}

TEST(LinearAttentionTest, ScanEqualsDenseForm) {
  for (const int64_t tokens : kLengths) {
    const Inputs in = RandomInputs(tokens);
    EXPECT_LT(Distance(Scan(in), Dense(in)), Rounding(tokens)) << tokens << " tokens";
  }
}

TEST(LinearAttentionTest, RecurrenceEqualsDenseForm) {
  for (const int64_t tokens : kLengths) {
    const Inputs in = RandomInputs(tokens);
    EXPECT_LT(Distance(Recurrent(in), Dense(in)), Rounding(tokens)) << tokens << " tokens";
  }
}

TEST(LinearAttentionTest, LastCausalOutputEqualsTheParallelOne) {
  const Inputs in = RandomInputs(100);
  const torch::Tensor parallel = LinearAttention(in.queries, in.keys, in.values).value();
  EXPECT_LT(Distance(parallel.select(2, -1), Dense(in).select(2, -1)), Rounding(100));
  EXPECT_GT(Distance(parallel.select(2, 0), Dense(in).select(2, 0)), 1e-3) << "the first token sees the others";
}

TEST(LinearAttentionTest, StatesOfTwoHalvesAddUp) {
  const Inputs in = RandomInputs(20);
  const auto state = [&](int64_t begin, int64_t end) {
    LinearState folded = EmptyLinearState({2, 3}, 4, 5, in.queries.options());
    for (int64_t i = begin; i < end; ++i) folded = Fold(folded, in.keys.select(2, i), in.values.select(2, i));
    return folded;
  };
  const LinearState first = state(0, 8), second = state(8, 20), both = {first.s + second.s, first.z + second.z};
  EXPECT_LT(Distance(Output(both, in.queries.select(2, 19)), Dense(in).select(2, 19)), Rounding(20));
}

TEST(LinearAttentionTest, NothingFoldedGivesZeros) {
  const LinearState state = EmptyLinearState({2}, 4, 5, torch::kFloat32);
  EXPECT_TRUE(torch::equal(Output(state, torch::randn({2, 4})), torch::zeros({2, 5})));
}

TEST(LinearAttentionTest, ScanGradientsEqualThoseOfTheDenseForm) {
  for (const int64_t tokens : kLengths) {
    const Inputs in = RandomInputs(tokens);
    const std::vector<torch::Tensor> scan = Gradients(in, Scan), dense = Gradients(in, Dense);
    for (size_t i = 0; i < scan.size(); ++i) {
      EXPECT_LT(Distance(scan[i], dense[i]), GradientRounding(tokens, dense[i])) << tokens << " tokens";
    }
  }
}

// The differences are central, along random directions, for all three inputs at once.
TEST(LinearAttentionTest, ScanGradientsEqualFiniteDifferences) {
  for (const int64_t tokens : {1, 7, 70}) {
    const Inputs in = RandomInputs(tokens), along = RandomInputs(tokens + 1000, torch::kFloat64);
    const auto loss = [&](double step) {
      const auto moved = [&](const torch::Tensor& x, const torch::Tensor& direction) {
        return x + step * direction.narrow(2, 0, tokens);
      };
      const torch::Tensor outputs =
          Scan({moved(in.queries, along.queries), moved(in.keys, along.keys), moved(in.values, along.values)});
      torch::manual_seed(9);
      return (outputs * torch::randn_like(outputs)).sum().item<double>();
    };
    const std::vector<torch::Tensor> gradients = Gradients(in, Scan);
    const double slope = ((gradients[0] * along.queries.narrow(2, 0, tokens)).sum() +
                          (gradients[1] * along.keys.narrow(2, 0, tokens)).sum() +
                          (gradients[2] * along.values.narrow(2, 0, tokens)).sum())
                             .item<double>();
    // The loss is a sum of 30 normal products per token. A third derivative along all inputs is at most a thousand
    // times that.
    const double value = 30.0 * static_cast<double>(tokens);
    EXPECT_NEAR((loss(1e-6) - loss(-1e-6)) / 2e-6, slope, DifferenceRounding(1e-6, value, 1000 * value, 32 * value))
        << tokens << " tokens";
  }
}

TEST(LinearAttentionTest, ScanCanBeDifferentiatedTwice) {
  const auto second = [](auto form) {
    const Inputs in = Differentiable(RandomInputs(70));
    const torch::Tensor gradient = torch::autograd::grad({form(in).pow(2).sum()}, {in.keys}, {}, true, true)[0];
    return torch::autograd::grad({gradient.pow(2).sum()}, {in.values})[0];
  };
  const torch::Tensor expected = second(Dense);
  EXPECT_LT(Distance(second(Scan), expected), 70 * GradientRounding(70, expected));  // sums of gradients
}

// The weights of all pairs of 2048 tokens would take 200 MB.
TEST(LinearAttentionTest, MemoryOfScanAndGradientIsLinearInTheTokens) {
  const auto peak = [](int64_t tokens) {
    const Inputs in = RandomInputs(tokens);
    return PeakBytes([&] { Gradients(in, Scan); });
  };
  const int64_t small = peak(1024), large = peak(2048);
  EXPECT_LT(large, 2.01 * small);
  EXPECT_LT(large, 40'000'000);
}

TEST(LinearAttentionTest, StridesDoNotMatter) {
  const Inputs in = RandomInputs(70);
  const auto strided = [](const torch::Tensor& x) { return x.transpose(1, 2).contiguous().transpose(1, 2); };
  const Inputs out = {strided(in.queries), strided(in.keys), strided(in.values)};
  ASSERT_FALSE(out.keys.is_contiguous());
  EXPECT_LT(Distance(Scan(out), Scan(in)), Rounding(70));
  const std::vector<torch::Tensor> gradients = Gradients(out, Scan), expected = Gradients(in, Scan);
  for (size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_LT(Distance(gradients[i], expected[i]), GradientRounding(70, expected[i]));
  }
}

TEST(LinearAttentionTest, LaterTokensChangeNoOutputBefore) {
  const Inputs in = RandomInputs(150);
  Inputs changed = {in.queries, in.keys.clone(), in.values.clone()};
  changed.keys.slice(2, 90).add_(3);
  changed.values.slice(2, 90).mul_(-2);
  EXPECT_TRUE(torch::equal(Scan(in).slice(2, 0, 90), Scan(changed).slice(2, 0, 90)));
  EXPECT_FALSE(torch::equal(Scan(in).slice(2, 90), Scan(changed).slice(2, 90)));
}

TEST(LinearAttentionTest, LargeInputsStayFinite) {
  const Inputs in = RandomInputs(200, torch::kFloat32, 1e4);
  EXPECT_TRUE(Scan(in).isfinite().all().item<bool>());
  for (const torch::Tensor& gradient : Gradients(in, Scan)) EXPECT_TRUE(gradient.isfinite().all().item<bool>());
}

TEST(LinearAttentionTest, LargeFeaturesStayAccurate) {
  const Inputs random = RandomInputs(200, torch::kFloat32, 1e4);
  const Inputs in = {random.queries.abs(), random.keys.abs(), random.values};
  const Inputs exact = {in.queries.to(torch::kFloat64), in.keys.to(torch::kFloat64), in.values.to(torch::kFloat64)};
  EXPECT_LT(Distance(Scan(in), Dense(exact)),
            2 * LikelyGamma(200 + 16, kFloatUnit) * in.values.abs().max().item<double>());
}

TEST(LinearAttentionTest, WeightsThatUnderflowGiveZerosAndNoGradient) {
  const Inputs random = RandomInputs(70, torch::kFloat32);
  const Inputs in = {torch::full_like(random.queries, -1e4), torch::full_like(random.keys, -1e4), random.values};
  EXPECT_TRUE(torch::equal(Scan(in), torch::zeros_like(in.values)));
  for (const torch::Tensor& gradient : Gradients(in, Scan)) EXPECT_EQ(gradient.abs().max().item<double>(), 0);
}

// Weights have every size, down to and below the least that counts.
TEST(LinearAttentionTest, GradientsStayFiniteAsWeightsVanish) {
  Inputs in = RandomInputs(160, torch::kFloat32);
  const torch::Tensor fall = torch::linspace(0, -60, 160).unsqueeze(1);
  in.queries = in.queries + fall;
  in.keys = in.keys - 30 + fall;
  for (const torch::Tensor& gradient : Gradients(in, Scan)) EXPECT_TRUE(gradient.isfinite().all().item<bool>());
}

TEST(LinearAttentionTest, WrongArgumentsAreNamed) {
  const Inputs in = RandomInputs(6);
  const auto message = [](const absl::StatusOr<torch::Tensor>& result) {
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(result.status().message());
  };
  EXPECT_NE(message(CausalLinearAttention(in.queries, in.keys.narrow(2, 0, 5), in.values)).find("keys has shape"),
            std::string::npos);
  EXPECT_NE(message(LinearAttention(in.queries, in.keys, in.values.to(torch::kFloat32))).find("values is Float"),
            std::string::npos);
  EXPECT_NE(message(DenseCausalLinearAttention(in.queries.to(torch::kInt64), in.keys, in.values)).find("queries"),
            std::string::npos);
}

}  // namespace
}  // namespace aaren::attention
