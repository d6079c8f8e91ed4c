// The fused operations against torch's own in float64: values and gradients.

#include "model/nn/fused/fused.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <vector>

namespace aaren::nn {
namespace {

using Operation = std::function<torch::Tensor(const std::vector<torch::Tensor>&)>;

// The output, and the gradients of the output's product with one fixed tensor.
std::vector<torch::Tensor> Evaluate(const Operation& operation, const std::vector<torch::Tensor>& inputs,
                                    torch::ScalarType dtype) {
  std::vector<torch::Tensor> leaves;
  for (const torch::Tensor& input : inputs) leaves.push_back(input.to(dtype).detach().requires_grad_());
  const torch::Tensor out = operation(leaves);
  torch::manual_seed(7);
  (out * torch::randn(out.sizes(), torch::kFloat64).to(dtype)).sum().backward();
  std::vector<torch::Tensor> results = {out.detach()};
  for (const torch::Tensor& leaf : leaves) results.push_back(leaf.grad());
  return results;
}

void ExpectAsInDouble(const Operation& operation, const std::vector<torch::Tensor>& inputs) {
  const auto fused = Evaluate(operation, inputs, torch::kFloat32);
  const auto expected = Evaluate(operation, inputs, torch::kFloat64);
  ASSERT_EQ(fused.size(), expected.size());
  for (size_t i = 0; i < fused.size(); ++i) {
    const torch::Tensor error = (fused[i].to(torch::kFloat64) - expected[i]).abs().max();
    const double scale = expected[i].abs().max().item<double>();
    EXPECT_LE(error.item<double>(), 2e-6 * scale) << (i == 0 ? "the output" : "gradient ") << i;
  }
}

torch::Tensor Random(at::IntArrayRef sizes, int seed, double scale = 1) {
  torch::manual_seed(seed);
  return scale * torch::randn(sizes, torch::kFloat64);
}

// Widths with and without a remainder after the vectors of any CPU.
constexpr int64_t kWidths[] = {2, 6, 32, 46, 128};

TEST(FusedTest, RmsNormIsTorchs) {
  for (const int64_t width : kWidths) {
    ExpectAsInDouble([](const auto& in) { return RmsNormed(in[0], in[1]); },
                     {Random({5, 41, width}, 1, 3), Random({width}, 2)});
  }
}

TEST(FusedTest, RmsNormOfNothingIsNothing) {
  const torch::Tensor out = RmsNormed(torch::zeros({3, 16}), torch::ones({16}));
  EXPECT_EQ(out.abs().max().item<float>(), 0);
}

TEST(FusedTest, GatesAreTorchs) {
  for (const int64_t width : kWidths) {
    const std::vector<torch::Tensor> inputs = {Random({7, width}, 3, 4), Random({7, width}, 4)};
    ExpectAsInDouble([](const auto& in) { return SiluGated(in[0], in[1]); }, inputs);
    ExpectAsInDouble([](const auto& in) { return SigmoidGated(in[0], in[1]); }, inputs);
  }
}

TEST(FusedTest, GatesOfHugeNumbersAreFinite) {
  const torch::Tensor gate = torch::tensor({-1e4f, -90.0f, 90.0f, 1e4f}).requires_grad_(), x = torch::ones({4});
  SiluGated(gate, x).sum().backward();
  EXPECT_TRUE(gate.grad().isfinite().all().item<bool>()) << gate.grad();
}

TEST(FusedTest, TurnsAreTorchs) {
  for (const int64_t width : kWidths) {
    const torch::Tensor angles = Random({11, width / 2}, 5, 100);
    for (const bool back : {false, true}) {
      ExpectAsInDouble([&](const auto& in) { return PairsTurned(in[0], angles, back); }, {Random({3, 11, width}, 6)});
    }
  }
}

TEST(FusedTest, ATurnAndBackIsNone) {
  const torch::Tensor angles = Random({4, 8}, 7, 50), x = Random({2, 4, 16}, 8).to(torch::kFloat32);
  const torch::Tensor there = PairsTurned(x, angles, false);
  EXPECT_GT((there - x).abs().max().item<float>(), 0.1);
  EXPECT_LE((PairsTurned(there, angles, true) - x).abs().max().item<float>(), 1e-6);
}

TEST(FusedTest, InputsNeedNotBeContiguous) {
  ExpectAsInDouble([](const auto& in) { return SiluGated(in[0].t(), in[1].t()); },
                   {Random({6, 10}, 9), Random({6, 10}, 10)});
  ExpectAsInDouble([](const auto& in) { return RmsNormed(in[0].transpose(0, 1), in[1]); },
                   {Random({3, 5, 16}, 11), Random({16}, 12)});
}

// Training promises the same bits for the same number of threads; these operations promise them for any number.
TEST(FusedTest, ThreadsDoNotChangeTheBits) {
  const int before = torch::get_num_threads();
  const auto run = [](int threads) {
    torch::set_num_threads(threads);
    return Evaluate([](const auto& in) { return RmsNormed(in[0], in[1]); }, {Random({997, 32}, 13), Random({32}, 14)},
                    torch::kFloat32);
  };
  const auto one = run(1), three = run(3);
  torch::set_num_threads(before);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(torch::equal(one[i], three[i])) << i;
}

}  // namespace
}  // namespace aaren::nn
