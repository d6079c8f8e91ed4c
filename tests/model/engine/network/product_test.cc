#include "model/engine/network/product.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "model/math/lanes.h"
#include "tests/model/engine/only_target.h"

namespace aaren::engine {
namespace {

package::Tensor Random(int64_t rows, int64_t columns, uint64_t seed) {
  std::mt19937_64 random(seed);
  package::Tensor tensor{.shape = {rows, columns}, .data = std::vector<float>(static_cast<size_t>(rows * columns))};
  for (float& value : tensor.data) value = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-52 - 1.0);
  return tensor;
}

// One output by the rule itself.
float Expected(const package::Tensor& weight, const package::Tensor& bias, size_t output, const float* x) {
  const size_t depth = static_cast<size_t>(weight.shape[1]);
  float total = 0.0f;
  for (size_t begin = 0; begin < depth; begin += 128) {
    float sum = 0.0f;
    for (size_t k = begin; k < std::min(depth, begin + 128); ++k)
      sum = std::fma(x[k], weight.data[output * depth + k], sum);
    total = begin == 0 ? sum : total + sum;
  }
  return total + bias.data[output];
}

// The same numbers without the lower half of their bits.
package::Tensor Halved(package::Tensor tensor) {
  for (float& value : tensor.data) value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffff0000u);
  return tensor;
}

// Multiplies `rows` rows by two layers side by side. Each output must have the rule's bits, and padding must be zero.
void ExpectExact(size_t rows, size_t depth, bool halved = false, int64_t second = 83) {
  const size_t outputs[] = {5, static_cast<size_t>(second)};
  package::Tensor weights[] = {Random(5, static_cast<int64_t>(depth), 1),
                               Random(second, static_cast<int64_t>(depth), 2)};
  if (halved) {
    for (package::Tensor& weight : weights) weight = Halved(weight);
  }
  const package::Tensor biases[] = {Random(5, 1, 3), Random(second, 1, 4)};
  const package::Tensor x = Random(static_cast<int64_t>(rows), static_cast<int64_t>(depth), 5);
  const PackedMatrix matrix = PackedMatrix::Pack({{weights[0], &biases[0]}, {weights[1], &biases[1]}});
  EXPECT_EQ(matrix.halved(), halved);
  const auto out = hwy::AllocateAligned<float>(rows * matrix.width());
  std::fill_n(out.get(), rows * matrix.width(), NAN);
  Multiply(matrix, x.data.data(), depth, rows, out.get(), matrix.width());
  for (size_t r = 0; r < rows; ++r) {
    for (size_t part = 0; part < 2; ++part) {
      const float* got = out.get() + r * matrix.width() + matrix.offset(part);
      for (size_t n = 0; n < math::PadToLanes(outputs[part]); ++n) {
        const float expected =
            n < outputs[part] ? Expected(weights[part], biases[part], n, x.data.data() + r * depth) : 0.0f;
        ASSERT_EQ(got[n], expected) << "row " << r << " part " << part << " output " << n;
      }
    }
  }
}

TEST(ProductTest, FollowsTheRuleForAnyNumberOfRows) {
  for (size_t rows = 1; rows <= 26; ++rows) ExpectExact(rows, 100);
  ExpectExact(64, 100);
}

TEST(ProductTest, WeightsOfHalfTheSizeFollowTheRule) {
  for (size_t rows = 1; rows <= 26; ++rows) {
    for (size_t depth : {1, 100, 129, 300}) ExpectExact(rows, depth, /*halved=*/true);
  }
  ExpectExact(64, 129, /*halved=*/true);
}

TEST(ProductTest, HalvesDeeperThanAreUnpackedAtOnceFollowTheRule) {
  for (const int64_t target : ExactTargets()) {
    const OnlyTarget only(target);
    for (size_t depth : {511, 512, 513, 1030}) ExpectExact(13, depth, /*halved=*/true);
  }
}

TEST(ProductTest, KeepsEachWeightAsItIs) {
  for (const bool halved : {false, true}) {
    const package::Tensor random = Random(83, 37, 1), weight = halved ? Halved(random) : random;
    const PackedMatrix matrix = PackedMatrix::Pack({{weight}});
    for (size_t n = 0; n < 83; ++n) {
      for (size_t k = 0; k < 37; ++k) ASSERT_EQ(matrix.weight(k, n), weight.data[n * 37 + k]) << n << " " << k;
    }
  }
}

TEST(ProductTest, KeepsWeightsOnce) {
  EXPECT_EQ(PackedMatrix::Pack({{Halved(Random(16, 16, 1))}}).weights(), nullptr);
  EXPECT_NE(PackedMatrix::Pack({{Random(16, 16, 1)}}).weights(), nullptr);
}

TEST(ProductTest, FollowsTheRuleForAnyNumberOfOutputs) {
  for (int64_t outputs = 3; outputs <= 300; outputs += 16) {
    for (size_t rows : {1, 2, 4, 9}) {
      ExpectExact(rows, 5, /*halved=*/false, outputs);
      ExpectExact(rows, 5, /*halved=*/true, outputs);
    }
  }
}

TEST(ProductTest, EveryInstructionSetFollowsTheRule) {
  for (const int64_t target : ExactTargets()) {
    const OnlyTarget only(target);
    for (size_t rows = 1; rows <= 26; ++rows) {
      ExpectExact(rows, 129);
      ExpectExact(rows, 129, /*halved=*/true);
    }
  }
}

TEST(ProductTest, CutsTheDepthIntoBlocksOf128) {
  for (size_t depth : {1, 127, 128, 129, 256, 300}) ExpectExact(13, depth);
  ExpectExact(1, 300);
}

TEST(ProductTest, MissingBiasIsZero) {
  const package::Tensor weight = {{1, 2}, {2, 3}};
  const PackedMatrix matrix = PackedMatrix::Pack({{weight}});
  const auto out = hwy::AllocateAligned<float>(matrix.width());
  const float x[] = {5, 7};
  Multiply(matrix, x, 2, 1, out.get(), matrix.width());
  EXPECT_EQ(out[0], 31.0f);
}

}  // namespace
}  // namespace aaren::engine
