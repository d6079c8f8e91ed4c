#include "model/paper/attention/many_rnns.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <vector>

#include "model/paper/attention/softmax.h"
#include "tests/model/attention/prefix_softmax.h"
#include "tests/model/rounding.h"

namespace aaren::attention {
namespace {

torch::Tensor Random(std::vector<int64_t> leading, int64_t tokens, int64_t width) {
  leading.insert(leading.end(), {tokens, width});
  return torch::randn(leading, torch::kFloat64);
}

// For an average over 23 tokens with numbers of at most 5; scores are products of 8 numbers, at most 5 x 5 x sqrt(8).
const double kRounding = 5 * (SoftmaxRounding(23, kDoubleUnit) + 2 * 25 * std::sqrt(8.0) * Gamma(10, kDoubleUnit));

// Conventional cross-attention.
torch::Tensor FullSoftmax(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values) {
  const torch::Tensor scores = torch::matmul(queries, keys.mT()) / std::sqrt(static_cast<double>(keys.size(-1)));
  return torch::matmul(torch::softmax(scores, -1), values);
}

TEST(ManyRnnsAttentionTest, CausalSelfAttentionIsOneRnnAQuery) {
  torch::manual_seed(71);
  for (const std::vector<int64_t>& leading : std::vector<std::vector<int64_t>>{{}, {3}, {2, 3}}) {
    const torch::Tensor q = Random(leading, 23, 8), k = Random(leading, 23, 8), v = Random(leading, 23, 5);
    EXPECT_LT(Distance(CausalAttentionAsRnns(q, k, v).value(), CausalSoftmaxAttention(q, k, v).value()), kRounding);
  }
}

TEST(ManyRnnsAttentionTest, EachRnnIsOneQuerysSoftmax) {
  torch::manual_seed(72);
  const torch::Tensor q = Random({2}, 11, 4), k = Random({2}, 11, 4), v = Random({2}, 11, 3);
  const torch::Tensor outputs = CausalAttentionAsRnns(q, k, v).value();
  for (int64_t i = 0; i < 11; ++i) {
    const torch::Tensor expected = FullSoftmax(q.slice(1, i, i + 1), k.slice(1, 0, i + 1), v.slice(1, 0, i + 1));
    EXPECT_LT(Distance(outputs.slice(1, i, i + 1), expected), kRounding) << "query " << i;
  }
}

TEST(ManyRnnsAttentionTest, GradientsEqualThoseOfSoftmax) {
  torch::manual_seed(73);
  const std::vector<torch::Tensor> in = {Random({2}, 9, 4).requires_grad_(), Random({2}, 9, 4).requires_grad_(),
                                         Random({2}, 9, 3).requires_grad_()};
  const torch::Tensor weight = Random({2}, 9, 3);
  const auto found = torch::autograd::grad({(CausalAttentionAsRnns(in[0], in[1], in[2]).value() * weight).sum()}, in);
  const auto expected =
      torch::autograd::grad({(CausalSoftmaxAttention(in[0], in[1], in[2]).value() * weight).sum()}, in);
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_LT(Distance(found[i], expected[i]), kRounding * 2 * 9 * 3 * 5);  // 9 tokens, 3 numbers of at most 5
}

TEST(ManyRnnsAttentionTest, CrossAttentionEqualsFullSoftmaxForAnyBlockSize) {
  torch::manual_seed(74);
  const torch::Tensor q = Random({2, 3}, 5, 8), k = Random({2, 3}, 19, 8), v = Random({2, 3}, 19, 4);
  for (int64_t block = 1; block <= 20; ++block) {
    EXPECT_LT(Distance(CrossAttention(q, k, v, block).value(), FullSoftmax(q, k, v)), kRounding)
        << "blocks of " << block;
  }
}

TEST(ManyRnnsAttentionTest, CrossAttentionTakesVeryLargeScores) {
  torch::manual_seed(75);
  const torch::Tensor q = 1e3 * Random({}, 5, 8), k = 10 * Random({}, 19, 8), v = Random({}, 19, 4);
  EXPECT_LT(Distance(CrossAttention(q, k, v, 4).value(), FullSoftmax(q, k, v)),
            1e4 * kRounding);  // scores are 10^4 times as large
}

TEST(ManyRnnsAttentionTest, ArgumentsThatDisagreeAreNamed) {
  const torch::Tensor q = torch::ones({2, 3, 4}), k = torch::ones({2, 5, 4}), v = torch::ones({2, 5, 6});
  EXPECT_EQ(CausalAttentionAsRnns(q, k, v).status(),
            absl::InvalidArgumentError("keys has shape [2, 5, 4]; [2, 3, 4] is needed"));
  EXPECT_EQ(CrossAttention(q, torch::ones({2, 5, 7}), v).status(),
            absl::InvalidArgumentError("keys has shape [2, 5, 7]; [2, *, 4] is needed"));
  EXPECT_EQ(CrossAttention(q, k, torch::ones({2, 3, 6})).status(),
            absl::InvalidArgumentError("values has shape [2, 3, 6]; [2, 5, *] is needed"));
  EXPECT_EQ(CrossAttention(q, k.to(torch::kFloat64), v).status(),
            absl::InvalidArgumentError("keys is Double; queries is Float"));
  EXPECT_EQ(CrossAttention(q, k.to(torch::kMeta), v).status(),
            absl::InvalidArgumentError("keys is on meta; queries is on cpu"));
  EXPECT_EQ(CrossAttention(q, k, v, 0).status(), absl::InvalidArgumentError("block_size is 0; at least 1 is needed"));
}

}  // namespace
}  // namespace aaren::attention
