#include "model/paper/attention/softmax.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <vector>

#include "model/attention/scan/scan.h"
#include "tests/model/attention/prefix_softmax.h"
#include "tests/model/rounding.h"

namespace aaren::attention {
namespace {

torch::Tensor Random(std::vector<int64_t> leading, int64_t tokens, int64_t width) {
  leading.insert(leading.end(), {tokens, width});
  return torch::randn(leading, torch::kFloat64);
}

// For an average over 30 tokens with numbers of at most 5; scores are products of 8 numbers, at most 5 x 5 x sqrt(8).
double Rounding(double unit) { return 5 * (SoftmaxRounding(30, unit) + 2 * 25 * std::sqrt(8.0) * Gamma(10, unit)); }

// Computes token by token, each with a softmax of its own.
torch::Tensor OneQueryAtATime(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values) {
  std::vector<torch::Tensor> outputs;
  for (int64_t i = 0; i < queries.size(-2); ++i) {
    const torch::Tensor query = queries.slice(-2, i, i + 1), past = keys.slice(-2, 0, i + 1);
    const torch::Tensor scores = (query * past).sum(-1) / std::sqrt(static_cast<double>(keys.size(-1)));
    outputs.push_back((torch::softmax(scores, -1).unsqueeze(-1) * values.slice(-2, 0, i + 1)).sum(-2));
  }
  return torch::stack(outputs, -2);
}

TEST(CausalSoftmaxAttentionTest, EqualsOneQueryAtATime) {
  torch::manual_seed(61);
  for (const std::vector<int64_t>& leading : std::vector<std::vector<int64_t>>{{}, {3}, {2, 3}, {2, 2, 3}}) {
    const torch::Tensor q = Random(leading, 17, 8), k = Random(leading, 17, 8), v = Random(leading, 17, 5);
    EXPECT_LT(Distance(CausalSoftmaxAttention(q, k, v).value(), OneQueryAtATime(q, k, v)), Rounding(kDoubleUnit));
  }
}

TEST(CausalSoftmaxAttentionTest, TakesTransposedHeads) {
  torch::manual_seed(62);
  const torch::Tensor q = torch::randn({2, 17, 3, 8}).transpose(1, 2), k = torch::randn({2, 17, 3, 8}).transpose(1, 2);
  EXPECT_LT(Distance(CausalSoftmaxAttention(q, k, k).value(), OneQueryAtATime(q, k, k)), Rounding(kFloatUnit));
}

TEST(CausalSoftmaxAttentionTest, EqualQueriesGiveConstantQueryAttention) {
  torch::manual_seed(63);
  const torch::Tensor query = torch::randn({8}, torch::kFloat64), k = Random({2, 3}, 30, 8), v = Random({2, 3}, 30, 8);
  const torch::Tensor found = CausalSoftmaxAttention(query.expand({2, 3, 30, 8}), k, v).value();
  EXPECT_LT(Distance(found, ScanAttention(torch::matmul(k, query) / std::sqrt(8.0), v).value()), Rounding(kDoubleUnit));
}

TEST(CausalSoftmaxAttentionTest, LaterTokensDoNotChangeEarlierOutputs) {
  torch::manual_seed(64);
  const torch::Tensor q = Random({2, 3}, 20, 8), k = Random({2, 3}, 20, 8), v = Random({2, 3}, 20, 8);
  const torch::Tensor before = CausalSoftmaxAttention(q, k, v).value();
  for (const torch::Tensor& x : {q, k, v}) x.slice(2, 10).add_(5);
  const torch::Tensor after = CausalSoftmaxAttention(q, k, v).value();
  EXPECT_TRUE(torch::equal(before.slice(2, 0, 10), after.slice(2, 0, 10)));
  EXPECT_FALSE(torch::equal(before.slice(2, 10), after.slice(2, 10)));
}

TEST(CausalSoftmaxAttentionTest, ArgumentsThatDisagreeAreNamed) {
  const torch::Tensor q = torch::ones({2, 5, 4}), v = torch::ones({2, 5, 3});
  EXPECT_EQ(CausalSoftmaxAttention(q, torch::ones({2, 5, 6}), v).status(),
            absl::InvalidArgumentError("keys has shape [2, 5, 6]; [2, 5, 4] is needed"));
  EXPECT_EQ(CausalSoftmaxAttention(q, q, torch::ones({2, 6, 3})).status(),
            absl::InvalidArgumentError("values has shape [2, 6, 3]; [2, 5, *] is needed"));
  EXPECT_EQ(CausalSoftmaxAttention(q, q.to(torch::kFloat64), v).status(),
            absl::InvalidArgumentError("keys is Double; queries is Float"));
  EXPECT_EQ(CausalSoftmaxAttention(q, q, v.to(torch::kMeta)).status(),
            absl::InvalidArgumentError("values is on meta; queries is on cpu"));
}

}  // namespace
}  // namespace aaren::attention
