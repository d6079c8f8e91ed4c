#include "model/paper/attention/forms/blockwise.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "model/paper/attention/forms/recurrent.h"
#include "tests/model/attention/prefix_softmax.h"
#include "tests/model/rounding.h"

namespace aaren::attention {
namespace {

constexpr int64_t kTokens = 13;
const double kRounding = SoftmaxRounding(kTokens, kDoubleUnit);

class BlockwiseAttentionTest : public testing::Test {
 protected:
  BlockwiseAttentionTest() {
    torch::manual_seed(31);
    scores = 3 * torch::randn({2, 3, kTokens}, torch::kFloat64);
    values = torch::randn({2, 3, kTokens, 4}, torch::kFloat64);
  }

  torch::Tensor scores, values;
};

TEST_F(BlockwiseAttentionTest, AnyBlockSizeGivesTheOutputsOfDenseAttention) {
  const PrefixSoftmax expected = ReferenceAttention(scores, values);
  for (int64_t block = 1; block <= kTokens + 1; ++block) {
    EXPECT_TRUE(Matches(BlockwiseAttention(scores, values, block), expected, kRounding)) << "blocks of " << block;
  }
}

TEST_F(BlockwiseAttentionTest, AnyBlockSizeGivesTheStateOfTheRecurrence) {
  const AttentionState expected = RecurrentState(scores, values).value();
  for (int64_t block = 1; block <= kTokens + 1; ++block) {
    const AttentionState state = BlockwiseState(scores, values, block).value();
    EXPECT_TRUE(torch::equal(state.m, expected.m)) << "blocks of " << block;
    EXPECT_LT(Distance(state.c, expected.c), kRounding * kTokens) << "blocks of " << block;
    EXPECT_LT(Distance(state.a, expected.a), kRounding * kTokens * values.abs().max().item<double>())
        << "blocks of " << block;
  }
}

TEST_F(BlockwiseAttentionTest, BlocksMaskedWholeChangeNothing) {
  scores.slice(-1, 0, 4).fill_(-INFINITY);
  scores.slice(-1, 8, 12).fill_(-INFINITY);
  values.slice(-2, 8, 12).fill_(NAN);
  EXPECT_TRUE(Matches(BlockwiseAttention(scores, values, 4), ReferenceAttention(scores, values), kRounding));
}

TEST_F(BlockwiseAttentionTest, BlockSizeBelowOneIsRefused) {
  for (const int64_t block : {0, -3}) {
    const absl::Status status = BlockwiseAttention(scores, values, block).status();
    EXPECT_EQ(status, BlockwiseState(scores, values, block).status());
    EXPECT_EQ(status, absl::InvalidArgumentError("block_size is " + std::to_string(block) + "; at least 1 is needed"));
  }
}

}  // namespace
}  // namespace aaren::attention
