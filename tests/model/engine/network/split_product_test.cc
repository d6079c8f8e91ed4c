#include "model/engine/network/split_product.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <random>

#include "model/engine/network/amx.h"
#include "model/math/lanes.h"
#include "tests/model/engine/only_target.h"

namespace aaren::engine {
namespace {

// A part of an input by the rule: the upper half of the bits, or the nearest bfloat16 to the remainder.
float Part(float x, int part) {
  const float upper = std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xffff0000u);
  float value = upper;
  if (part == 1) {
    // Rounds to eight bits of precision, ties to even, by the default rounding mode.
    int exponent = 0;
    const float fraction = std::frexp(x - upper, &exponent);
    value = std::ldexp(std::nearbyint(fraction * 256.0f), exponent - 8);
  }
  return std::abs(value) < 0x1p-60f ? 0.0f : value;
}

// One output by the rule itself, section 14 of model/README.md.
float Expected(const package::Tensor& weight, float bias, size_t output, const float* x) {
  const size_t depth = static_cast<size_t>(weight.shape[1]);
  float parts[2] = {};
  for (int part = 0; part < 2; ++part) {
    for (size_t begin = 0; begin < depth; begin += 32) {
      float chains[2] = {};
      for (size_t k = begin; k < std::min(depth, begin + 32); ++k)
        chains[k % 2] = std::fma(Part(x[k], part), weight.data[output * depth + k], chains[k % 2]);
      parts[part] += chains[0] + chains[1];
    }
  }
  return (parts[0] + parts[1]) + bias;
}

// Numbers with magnitudes from 2^-span to 1.
package::Tensor Random(int64_t rows, int64_t columns, uint64_t seed, int span) {
  std::mt19937_64 random(seed);
  package::Tensor tensor{.shape = {rows, columns}, .data = std::vector<float>(static_cast<size_t>(rows * columns))};
  for (float& value : tensor.data) {
    const double fraction = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
    value = static_cast<float>(std::ldexp(fraction, -static_cast<int>(random() % static_cast<uint64_t>(span + 1))));
  }
  return tensor;
}

using Kernel = void (*)(const PackedMatrix&, const SplitRows&, float*, size_t);

struct Size {
  size_t rows, depth;
  int64_t outputs = 83;
  int span = 4;
};

// Each output must have the rule's bits, and padding must be zero.
void ExpectRule(Kernel kernel, const Size& size) {
  const int64_t depth = static_cast<int64_t>(size.depth);
  package::Tensor weights[] = {Random(5, depth, 1, size.span), Random(size.outputs, depth, 2, size.span)};
  for (package::Tensor& weight : weights) {
    for (float& value : weight.data) value = RoundWeight(value);
  }
  const package::Tensor biases[] = {Random(5, 1, 3, 4), Random(size.outputs, 1, 4, 4)};
  const package::Tensor x = Random(static_cast<int64_t>(size.rows), depth, 5, size.span);
  const PackedMatrix matrix = PackedMatrix::Pack({{weights[0], &biases[0]}, {weights[1], &biases[1]}});
  SplitRows split(size.rows, size.depth);
  split.Split(x.data.data(), size.depth, size.rows, size.depth);
  const auto out = hwy::AllocateAligned<float>(size.rows * matrix.width());
  std::fill_n(out.get(), size.rows * matrix.width(), NAN);
  kernel(matrix, split, out.get(), matrix.width());
  for (size_t r = 0; r < size.rows; ++r) {
    for (size_t part = 0; part < 2; ++part) {
      const float* got = out.get() + r * matrix.width() + matrix.offset(part);
      const size_t outputs = biases[part].data.size();
      for (size_t n = 0; n < math::PadToLanes(outputs); ++n) {
        const float expected =
            n < outputs ? Expected(weights[part], biases[part].data[n], n, x.data.data() + r * size.depth) : 0.0f;
        ASSERT_EQ(got[n], expected) << "row " << r << " of " << size.rows << ", part " << part << ", output " << n
                                    << ", depth " << size.depth;
      }
    }
  }
}

void ExpectRuleForAllSizes(Kernel kernel) {
  for (size_t rows = 1; rows <= 34; ++rows) ExpectRule(kernel, {.rows = rows, .depth = 70});
  ExpectRule(kernel, {.rows = 64, .depth = 70});
  for (size_t depth : {1, 2, 16, 31, 32, 33, 215}) {
    for (size_t rows : {1, 9, 16}) ExpectRule(kernel, {.rows = rows, .depth = depth});
  }
  for (int64_t outputs = 3; outputs <= 150; outputs += 16) {
    for (size_t rows : {1, 16, 17}) ExpectRule(kernel, {.rows = rows, .depth = 5, .outputs = outputs});
  }
  // The numbers include parts and weights too small to count, and sums that cancel.
  for (size_t rows : {3, 16}) ExpectRule(kernel, {.rows = rows, .depth = 215, .outputs = 83, .span = 70});
}

TEST(SplitProductTest, EveryInstructionSetFollowsTheRule) {
  for (const int64_t target : ExactTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    const OnlyTarget only(target);
    ExpectRuleForAllSizes(MultiplySplitByVectors);
  }
}

TEST(SplitProductTest, MatrixRegistersFollowTheRule) {
  if (!MayUseAmx()) GTEST_SKIP() << "this CPU has no AMX";
  ExpectRuleForAllSizes(MultiplySplitByAmx);
}

TEST(SplitProductTest, MatrixRegistersAreNotUsedWhereTheyAreForbidden) {
  const ForbidAmx forbidden;
  EXPECT_FALSE(MayUseAmx());
  ExpectRule(MultiplySplit, {.rows = 3, .depth = 70});
}

// 16 bits of an input are kept, so 2^-17 of each product is lost. A product also takes part in rounded sums: 16 of its
// chain, one for each block, and one at the end.
TEST(SplitProductTest, LosesNoMoreThanItsRoundings) {
  constexpr size_t kDepth = 512;
  const package::Tensor x = Random(1, kDepth, 7, 4);
  package::Tensor weight = Random(40, kDepth, 8, 4);
  for (float& value : weight.data) value = RoundWeight(value);
  const PackedMatrix matrix = PackedMatrix::Pack({{weight}});
  SplitRows split(1, kDepth);
  split.Split(x.data.data(), kDepth, 1, kDepth);
  const auto out = hwy::AllocateAligned<float>(matrix.width());
  MultiplySplit(matrix, split, out.get(), matrix.width());
  for (size_t n = 0; n < 40; ++n) {
    double exact = 0.0, magnitude = 0.0;
    for (size_t k = 0; k < kDepth; ++k) {
      const double product = static_cast<double>(x.data[k]) * weight.data[n * kDepth + k];
      exact += product;
      magnitude += std::abs(product);
    }
    EXPECT_NEAR(out[n], exact, magnitude * (0x1p-17 + (16 + kDepth / 32 + 3) * 0x1p-24)) << n;
  }
}

TEST(SplitProductTest, WeightsAreRoundedToTheNearestHalf) {
  EXPECT_EQ(RoundWeight(1.0f), 1.0f);
  EXPECT_EQ(RoundWeight(0x1.01p0f), 0x1.00p0f);  // a tie rounds to the even bfloat16
  EXPECT_EQ(RoundWeight(0x1.03p0f), 0x1.04p0f);
  EXPECT_EQ(RoundWeight(-0x1.0101p0f), -0x1.02p0f);
  EXPECT_EQ(RoundWeight(0x1p-40f), 0x1p-40f);
  EXPECT_EQ(RoundWeight(0x1p-41f), 0.0f);
  EXPECT_EQ(RoundWeight(0x1.fffffep127f), 0x1.fep127f);
}

}  // namespace
}  // namespace aaren::engine
