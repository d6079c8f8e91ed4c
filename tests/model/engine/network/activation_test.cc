#include "model/engine/network/activation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "model/math/lanes.h"

namespace aaren::engine {
namespace {

using Function = void (*)(const float*, size_t, float*);

// got - exact| in units of the last place of the exact result.
double Ulps(float got, double exact) {
  const double magnitude = std::max(std::abs(exact), double{std::numeric_limits<float>::min()});
  return std::abs(got - exact) / std::ldexp(1.0, std::ilogb(magnitude) - 23);
}

// The worst error over every 4099th float from `near` to `far`, both of one sign, away from zero.
double WorstUlps(Function function, const std::function<double(double)>& exact, float near, float far) {
  const uint32_t first = std::bit_cast<uint32_t>(near);
  const uint32_t last = std::bit_cast<uint32_t>(far);
  double worst = 0.0;
  for (uint64_t bits = first; bits <= last; bits += 4099 * math::kLanes) {
    alignas(64) float x[math::kLanes];
    alignas(64) float y[math::kLanes];
    for (size_t i = 0; i < math::kLanes; ++i)
      x[i] = std::bit_cast<float>(std::min(static_cast<uint32_t>(bits + 4099 * i), last));
    function(x, math::kLanes, y);
    for (size_t i = 0; i < math::kLanes; ++i) worst = std::max(worst, Ulps(y[i], exact(x[i])));
  }
  return worst;
}

float Apply(Function function, float value) {
  alignas(64) float x[math::kLanes] = {value};
  std::fill_n(x, math::kLanes, value);
  function(x, math::kLanes, x);
  return x[math::kLanes - 1];
}

void Silu(const float* x, size_t count, float* out) {
  alignas(64) const float ones[math::kLanes] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  GateBySilu(x, ones, count, out);
}

void Sigmoid(const float* x, size_t count, float* out) {
  alignas(64) float halves[math::kLanes];
  std::fill_n(halves, math::kLanes, 0.5f);
  GateBySigmoid(x, halves, count, out);
}

double ExactSigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double ExactSoftplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

constexpr float kSmall = 1e-30f;

TEST(ActivationTest, ExpIsWithinOneUlp) {
  EXPECT_LT(WorstUlps(
                Exp, [](double x) { return std::exp(x); }, kSmall, 88.72f),
            1.0);
  EXPECT_LT(WorstUlps(
                Exp, [](double x) { return std::exp(x); }, -kSmall, -87.33f),
            1.0);
}

TEST(ActivationTest, ExpEndsInZeroAndInfinity) {
  EXPECT_EQ(Apply(Exp, 0.0f), 1.0f);
  EXPECT_EQ(Apply(Exp, -88.0f), 0.0f);
  EXPECT_EQ(Apply(Exp, -std::numeric_limits<float>::infinity()), 0.0f);
  EXPECT_EQ(Apply(Exp, 89.0f), std::numeric_limits<float>::infinity());
}

TEST(ActivationTest, LogIsWithinOneUlp) {
  EXPECT_LT(WorstUlps(
                Log, [](double x) { return std::log(x); }, std::numeric_limits<float>::min(), 3e38f),
            1.0);
  EXPECT_LT(WorstUlps(
                Log, [](double x) { return std::log(x); }, 0.9f, 1.1f),
            1.0);
  EXPECT_EQ(Apply(Log, 1.0f), 0.0f);
}

TEST(ActivationTest, AsinhIsWithinThreeUlp) {
  EXPECT_LT(WorstUlps(
                Asinh, [](double x) { return std::asinh(x); }, kSmall, 3.4e38f),
            3.0);
  EXPECT_LT(WorstUlps(
                Asinh, [](double x) { return std::asinh(x); }, -kSmall, -3.4e38f),
            3.0);
  EXPECT_EQ(Apply(Asinh, 0.0f), 0.0f);
}

TEST(ActivationTest, SigmoidIsWithinThreeUlp) {
  EXPECT_LT(WorstUlps(Sigmoid, ExactSigmoid, kSmall, 100.0f), 3.0);
  EXPECT_LT(WorstUlps(Sigmoid, ExactSigmoid, -kSmall, -87.3f), 3.0);
}

TEST(ActivationTest, SiluIsWithinFourUlp) {
  const auto exact = [](double x) { return x * ExactSigmoid(x); };
  EXPECT_LT(WorstUlps(Silu, exact, kSmall, 1000.0f), 4.0);
  EXPECT_LT(WorstUlps(Silu, exact, -kSmall, -87.3f), 4.0);
  EXPECT_EQ(Apply(Silu, -1000.0f), 0.0f);
}

TEST(ActivationTest, SoftplusIsWithinThreeUlp) {
  EXPECT_LT(WorstUlps(Softplus, ExactSoftplus, kSmall, 1e30f), 3.0);
  EXPECT_LT(WorstUlps(Softplus, ExactSoftplus, -kSmall, -87.3f), 3.0);
}

TEST(ActivationTest, RmsNormSumsInSixteenPartials) {
  constexpr size_t kWidth = 40, kPadded = math::PadToLanes(kWidth);
  alignas(64) float x[kPadded] = {};
  alignas(64) float gain[kPadded] = {};
  alignas(64) float out[kPadded];
  float p[math::kLanes] = {};
  for (size_t i = 0; i < kWidth; ++i) {
    x[i] = std::sqrt(static_cast<float>(i + 1)) - 3.3f;
    gain[i] = 1.0f + 0.01f * static_cast<float>(i);
    p[i % math::kLanes] = std::fma(x[i], x[i], p[i % math::kLanes]);
  }
  const float even = ((p[0] + p[8]) + (p[4] + p[12])) + ((p[2] + p[10]) + (p[6] + p[14]));
  const float odd = ((p[1] + p[9]) + (p[5] + p[13])) + ((p[3] + p[11]) + (p[7] + p[15]));
  const float inverse = 1.0f / std::sqrt((even + odd) / static_cast<float>(kWidth) + 1e-6f);
  RmsNorm(x, gain, kWidth, kPadded, out);
  for (size_t i = 0; i < kPadded; ++i) EXPECT_EQ(out[i], x[i] * inverse * gain[i]) << i;
}

}  // namespace
}  // namespace aaren::engine
