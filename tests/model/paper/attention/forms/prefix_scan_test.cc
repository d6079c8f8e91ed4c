#include "model/paper/attention/forms/prefix_scan.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <bit>
#include <vector>

#include "tests/model/attention/prefix_softmax.h"
#include "tests/model/rounding.h"

namespace aaren::attention {
namespace {

const double kRounding = SoftmaxRounding(40, kDoubleUnit);  // for the longest case below

// Two rows of `tokens` leaves, equal in every call.
struct Inputs {
  torch::Tensor scores, values;
  AttentionState leaves() const { return Leaf(scores, values); }
};

Inputs RandomInputs(int64_t tokens) {
  torch::manual_seed(41);
  return {3 * torch::randn({2, tokens}, torch::kFloat64), torch::randn({2, tokens, 3}, torch::kFloat64)};
}

// How often a scan calls Combine: every call is a level.
struct Count {
  int64_t levels = 0, applications = 0;
};

Count CountIn(absl::FunctionRef<AttentionState(StateOperator)> scan) {
  Count count;
  scan([&count](const AttentionState& x, const AttentionState& y) {
    count.levels += 1;
    count.applications += x.m.size(-1);
    return Combine(x, y);
  });
  return count;
}

Count CountInHillisSteele(int64_t tokens) {
  return CountIn([&](StateOperator combine) { return HillisSteeleScan(RandomInputs(tokens).leaves(), combine); });
}

Count CountInBrentKung(int64_t tokens) {
  return CountIn([&](StateOperator combine) { return BrentKungScan(RandomInputs(tokens).leaves(), combine); });
}

Count CountInChunked(int64_t tokens, int64_t chunk) {
  return CountIn([&](StateOperator combine) { return ChunkedScan(RandomInputs(tokens).leaves(), chunk, combine); });
}

int64_t FloorLog2(int64_t n) { return std::bit_width(static_cast<uint64_t>(n)) - 1; }
int64_t CeilLog2(int64_t n) { return std::bit_width(static_cast<uint64_t>(n - 1)); }
int64_t BrentKungApplications(int64_t n) { return 2 * n - 1 - std::popcount(static_cast<uint64_t>(n)) - FloorLog2(n); }

TEST(PrefixScanTest, EveryAlgorithmGivesEveryPrefixForEveryLength) {
  for (int64_t tokens = 1; tokens <= 40; ++tokens) {
    const Inputs in = RandomInputs(tokens);
    const PrefixSoftmax expected = ReferenceAttention(in.scores, in.values);
    EXPECT_TRUE(Matches(Output(HillisSteeleScan(in.leaves())), expected, kRounding)) << tokens << " tokens";
    EXPECT_TRUE(Matches(Output(BrentKungScan(in.leaves())), expected, kRounding)) << tokens << " tokens";
    for (const int64_t chunk : {1, 2, 7, 16, 64}) {
      EXPECT_TRUE(Matches(Output(ChunkedScan(in.leaves(), chunk)), expected, kRounding)) << tokens << " by " << chunk;
    }
  }
}

TEST(PrefixScanTest, HillisSteeleTakesLogNLevelsAndNLogNApplications) {
  for (const int64_t tokens : {1, 2, 3, 5, 8, 13, 64, 100, 1024}) {
    const Count count = CountInHillisSteele(tokens);
    const int64_t levels = CeilLog2(tokens);
    EXPECT_EQ(count.levels, levels) << tokens << " tokens";
    EXPECT_EQ(count.applications, tokens * levels - ((int64_t{1} << levels) - 1)) << tokens << " tokens";
  }
}

TEST(PrefixScanTest, BrentKungOfPowerOfTwoTakes2NApplications) {
  for (int64_t levels = 1; levels <= 10; ++levels) {
    const int64_t tokens = int64_t{1} << levels;
    const Count count = CountInBrentKung(tokens);
    EXPECT_EQ(count.applications, 2 * tokens - 2 - levels) << tokens << " tokens";
    EXPECT_EQ(count.levels, 2 * levels - 1) << tokens << " tokens";
  }
}

TEST(PrefixScanTest, BrentKungOfAnyLengthTakesAtMost2NApplications) {
  for (int64_t tokens = 1; tokens <= 100; ++tokens) {
    const Count count = CountInBrentKung(tokens);
    EXPECT_EQ(count.applications, BrentKungApplications(tokens)) << tokens << " tokens";
    EXPECT_LE(count.levels, 2 * FloorLog2(tokens)) << tokens << " tokens";
  }
}

TEST(PrefixScanTest, ChunkedTakesOneApplicationATokenAfterTheScanOfChunks) {
  for (const int64_t chunk : {1, 5, 10, 100}) {
    const Count count = CountInChunked(100, chunk), of_chunks = CountInBrentKung(100 / chunk);
    EXPECT_EQ(count.applications, 100 + of_chunks.applications) << "chunks of " << chunk;
    EXPECT_EQ(count.levels, chunk + of_chunks.levels) << "chunks of " << chunk;
  }
}

// Token k is the affine map x -> c x + a. Composition is associative but not commutative.
AttentionState Compose(const AttentionState& first, const AttentionState& then) {
  return {.m = then.m, .c = first.c * then.c, .a = first.a * then.c.unsqueeze(-1) + then.a};
}

TEST(PrefixScanTest, OrderOfTokensIsKept) {
  for (const int64_t tokens : {2, 7, 16, 21}) {
    const Inputs in = RandomInputs(tokens);
    const AttentionState maps{in.scores, in.scores / 3, in.values};
    std::vector<torch::Tensor> expected = {maps.a.select(1, 0)};
    torch::Tensor size = maps.a.select(1, 0).abs();  // size of the terms
    for (int64_t k = 1; k < tokens; ++k) {
      expected.push_back(expected.back() * maps.c.select(1, k).unsqueeze(-1) + maps.a.select(1, k));
      size = torch::maximum(size, size * maps.c.select(1, k).abs().unsqueeze(-1) + maps.a.select(1, k).abs());
    }
    const double rounding = 2 * Gamma(2.0 * static_cast<double>(tokens), kDoubleUnit) * size.max().item<double>();
    EXPECT_LT(Distance(HillisSteeleScan(maps, Compose).a, torch::stack(expected, 1)), rounding);
    EXPECT_LT(Distance(BrentKungScan(maps, Compose).a, torch::stack(expected, 1)), rounding);
  }
}

// Algorithm 1 with offset 2^(i + shift) for i = 1 .. ceil(log2 N). The paper prints shift 0.
AttentionState Algorithm1(const AttentionState& leaves, int64_t shift) {
  const int64_t tokens = leaves.m.size(-1);
  std::vector<AttentionState> z;
  for (int64_t j = 0; j < tokens; ++j) {
    z.push_back({leaves.m.select(-1, j), leaves.c.select(-1, j), leaves.a.select(-2, j)});
  }
  for (int64_t i = 1; i <= CeilLog2(tokens); ++i) {
    const int64_t offset = int64_t{1} << (i + shift);
    std::vector<AttentionState> next = z;
    for (int64_t j = offset; j < tokens; ++j) next[j] = Combine(z[j], z[j - offset]);
    z = next;
  }
  std::vector<torch::Tensor> m, c, a;
  for (const AttentionState& state : z) {
    m.push_back(state.m);
    c.push_back(state.c);
    a.push_back(state.a);
  }
  return {torch::stack(m, -1), torch::stack(c, -1), torch::stack(a, -2)};
}

// With equal scores c counts the tokens of a prefix. Offsets 2, 4, 8 never join neighbours, so the printed algorithm
// counts only the tokens at an even distance, and its outputs are wrong.
TEST(PrefixScanTest, LiteralAlgorithm1OfThePaperMissesEverySecondToken) {
  const AttentionState leaves = Leaf(torch::zeros({8}), torch::arange(8).to(torch::kFloat32).unsqueeze(1));
  const AttentionState literal = Algorithm1(leaves, 0);
  EXPECT_TRUE(torch::equal(literal.c, torch::tensor({1.f, 1.f, 2.f, 2.f, 3.f, 3.f, 4.f, 4.f})));
  EXPECT_EQ(Output(literal)[7].item<float>(), 4) << "the mean of 1, 3, 5, 7; it should be 3.5";
}

TEST(PrefixScanTest, Algorithm1WithOffsetsHalvedIsHillisSteele) {
  for (const int64_t tokens : {1, 2, 5, 8, 13}) {
    const Inputs in = RandomInputs(tokens);
    const AttentionState corrected = Algorithm1(in.leaves(), -1), expected = HillisSteeleScan(in.leaves());
    EXPECT_LT(Distance(Output(corrected), Output(expected)), 5 * kRounding);
    EXPECT_TRUE(Matches(Output(corrected), ReferenceAttention(in.scores, in.values), kRounding));
  }
}

TEST(PrefixScanTest, PaddingByTheIdentityChangesNoPrefix) {
  const Inputs in = RandomInputs(5);
  const AttentionState leaves = in.leaves(), empty = EmptyState({2, 3}, 3, torch::kFloat64);
  const AttentionState padded{torch::cat({leaves.m, empty.m}, 1), torch::cat({leaves.c, empty.c}, 1),
                              torch::cat({leaves.a, empty.a}, 1)};
  const PrefixSoftmax expected = ReferenceAttention(in.scores, in.values);
  EXPECT_TRUE(Matches(Output(HillisSteeleScan(padded)).slice(1, 0, 5), expected, kRounding));
  EXPECT_TRUE(Matches(Output(BrentKungScan(padded)).slice(1, 0, 5), expected, kRounding));
  EXPECT_TRUE(Matches(Output(ChunkedScan(padded, 4)).slice(1, 0, 5), expected, kRounding));
}

TEST(PrefixScanTest, ChunkBelowOneIsRefused) {
  const Inputs in = RandomInputs(5);
  EXPECT_EQ(PrefixScanAttention(in.scores, in.values, PrefixScan::kChunked, 0).status(),
            absl::InvalidArgumentError("chunk is 0; at least 1 is needed"));
}

}  // namespace
}  // namespace aaren::attention
