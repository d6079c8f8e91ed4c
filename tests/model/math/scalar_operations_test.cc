#include "model/math/scalar_operations.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "model/engine/network/activation.h"
#include "model/math/lanes.h"

namespace aaren::math {
namespace {

using Vectors = void (*)(const float*, size_t, float*);
using Scalar = float (*)(float);

bool Usual(float) { return true; }
bool Positive(float x) { return x >= std::numeric_limits<float>::min(); }

// Compares every 997th float except NaN, of both signs, and both infinities: no result differs in any bit.
void ExpectTheSameBits(Vectors vectors, Scalar scalar, bool (*fits)(float)) {
  alignas(64) float x[kLanes], y[kLanes];
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 997 * kLanes) {
    for (size_t i = 0; i < kLanes; ++i) {
      const float number = std::bit_cast<float>(static_cast<uint32_t>(bits + 997 * i));
      x[i] = std::isfinite(number) && fits(number) ? number : 1.0f;
    }
    vectors(x, kLanes, y);
    for (size_t i = 0; i < kLanes; ++i) {
      ASSERT_EQ(std::bit_cast<uint32_t>(scalar(x[i])), std::bit_cast<uint32_t>(y[i])) << x[i];
    }
  }
}

using Ops = ScalarOperations;

void Sigmoid(const float* x, size_t count, float* out) {
  alignas(64) float halves[kLanes];
  std::fill_n(halves, kLanes, 0.5f);
  engine::GateBySigmoid(x, halves, count, out);
}

void Silu(const float* x, size_t count, float* out) {
  alignas(64) float ones[kLanes];
  std::fill_n(ones, kLanes, 1.0f);
  engine::GateBySilu(x, ones, count, out);
}

TEST(ScalarOperationsTest, ExpIsThatOfVectors) { ExpectTheSameBits(engine::Exp, scalar::ExpOf<Ops>, Usual); }
TEST(ScalarOperationsTest, ExpOfWhatIsNotPositiveIsExp) {
  for (uint32_t bits = 0x80000000u; bits <= 0xff800000u; bits += 1009) {
    const float x = std::bit_cast<float>(bits);
    ASSERT_EQ(std::bit_cast<uint32_t>(scalar::ExpOfNegative<Ops>(x)), std::bit_cast<uint32_t>(scalar::ExpOf<Ops>(x)))
        << x;
  }
  EXPECT_EQ(scalar::ExpOfNegative<Ops>(0.0f), 1.0f);
}

TEST(ScalarOperationsTest, LogIsThatOfVectors) { ExpectTheSameBits(engine::Log, scalar::LogOf<Ops>, Positive); }
TEST(ScalarOperationsTest, AsinhIsThatOfVectors) { ExpectTheSameBits(engine::Asinh, scalar::AsinhOf<Ops>, Usual); }
TEST(ScalarOperationsTest, SigmoidIsThatOfVectors) { ExpectTheSameBits(Sigmoid, scalar::SigmoidOf<Ops>, Usual); }
TEST(ScalarOperationsTest, SiluIsThatOfVectors) { ExpectTheSameBits(Silu, scalar::SiluOf<Ops>, Usual); }
TEST(ScalarOperationsTest, SoftplusIsThatOfVectors) {
  ExpectTheSameBits(engine::Softplus, scalar::SoftplusOf<Ops>, Usual);
}

TEST(ScalarOperationsTest, AnEmptyStateWeighsNothing) {
  EXPECT_EQ(scalar::ExpOf<Ops>(-std::numeric_limits<float>::infinity()), 0.0f);
  EXPECT_EQ(scalar::ExpOf<Ops>(-200.0f), 0.0f);
}

}  // namespace
}  // namespace aaren::math
