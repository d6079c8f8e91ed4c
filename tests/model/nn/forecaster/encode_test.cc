#include "model/nn/forecaster/encode.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/model/rounding.h"

namespace aaren::nn {
namespace {

// For features up to 5 in size, after a dozen operations on a handful of values.
const double kRounding = 5 * Gamma(64, kDoubleUnit);

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

package::ForecasterConfig SmallRing(int ring) {
  package::ForecasterConfig config;
  config.ring = ring;
  return config;
}

Encoding EncodeOne(int ring, const std::vector<double>& values, const std::vector<int64_t>& positions) {
  return Encode(SmallRing(ring), torch::tensor(values, torch::kFloat64).unsqueeze(0), positions, torch::kFloat64);
}

double Feature(const Encoding& encoding, int64_t token, int64_t index) {
  return encoding.features[0][token][index].item<double>();
}

TEST(EncodeTest, RingIsNormalisedByRingAndRunningDeviation) {
  // Values 2, 4, 6: running mean 4 and variance 8 / 3. The ring of two holds 4 and 6, with mean 5 and variance 1. After
  // three values a part of the scale is still the prior.
  const Encoding encoding = EncodeOne(2, {2, 4, 6}, {2});
  const double prior = 5 * 0.1 / 16;
  const double scale = std::sqrt(0.5 + 8.0 / 6 + prior * prior) + 1e-7 * 3;  // 5 is 3 above the first value
  EXPECT_DOUBLE_EQ(encoding.center[0][0].item<double>(), 5);
  EXPECT_NEAR(encoding.scale[0][0].item<double>(), scale, kRounding);
  EXPECT_NEAR(Feature(encoding, 0, 0), std::asinh(-1 / scale), kRounding);
  EXPECT_NEAR(Feature(encoding, 0, 1), std::asinh(1 / scale), kRounding);
}

TEST(EncodeTest, SummariesFollowTheRing) {
  const Encoding encoding = EncodeOne(2, {2, 4, 6}, {2});
  const double scale = encoding.scale[0][0].item<double>();
  EXPECT_NEAR(Feature(encoding, 0, 2), std::asinh(1 / scale), kRounding) << "newest value";
  EXPECT_NEAR(Feature(encoding, 0, 3), std::asinh(-1 / scale), kRounding) << "running mean";
  EXPECT_NEAR(Feature(encoding, 0, 4), std::log(std::sqrt(8.0 / 3) / scale + 0.01), kRounding) << "running deviation";
  EXPECT_NEAR(Feature(encoding, 0, 5), std::log(2 / scale + 0.01), kRounding) << "mean change";
  EXPECT_DOUBLE_EQ(Feature(encoding, 0, 6), 0) << "share missing";
  EXPECT_NEAR(Feature(encoding, 0, 7), std::log(4.0) / 7, kRounding) << "age";
}

TEST(EncodeTest, MissingValuesCountAsMissingOnly) {
  const Encoding encoding = EncodeOne(4, {1, kMissing, 3, kMissing}, {3});
  EXPECT_DOUBLE_EQ(encoding.center[0][0].item<double>(), 2);
  EXPECT_EQ(Feature(encoding, 0, 1), 0);
  EXPECT_EQ(Feature(encoding, 0, 3), 0);
  EXPECT_GT(Feature(encoding, 0, 4), 0) << "the newest value present is 3";
  EXPECT_NEAR(Feature(encoding, 0, 7), std::log(0.01), kRounding) << "no neighbours, no change";
  EXPECT_DOUBLE_EQ(Feature(encoding, 0, 8), 0.5);
}

TEST(EncodeTest, EmptyRingFallsBackToTheRunningMean) {
  const Encoding encoding = EncodeOne(2, {1, 5, kMissing, kMissing}, {3});
  EXPECT_DOUBLE_EQ(encoding.center[0][0].item<double>(), 3);
  EXPECT_TRUE(encoding.features.isfinite().all().item<bool>());
}

TEST(EncodeTest, NothingSeenIsFinite) {
  const Encoding encoding = EncodeOne(3, {kMissing}, {0});
  EXPECT_TRUE(encoding.features.isfinite().all().item<bool>());
  EXPECT_EQ(encoding.spread[0][0].item<double>(), 0);
}

TEST(EncodeTest, TokensDoNotDependOnWhichOthersAreChosen) {
  std::vector<double> values(50);
  for (size_t t = 0; t < values.size(); ++t) values[t] = std::sin(0.7 * t);
  const Encoding all = EncodeOne(8, values, {3, 10, 11, 40}), one = EncodeOne(8, values, {40});
  EXPECT_TRUE(torch::equal(all.features[0][3], one.features[0][0]));
}

// Floats take another path to the same functions.
TEST(EncodeTest, FloatFeaturesAreThoseOfDoubleRounded) {
  torch::manual_seed(3);
  torch::Tensor values = torch::randn({3, 400}, torch::kFloat64).exp() * 50;
  values[1].slice(0, 100, 160).fill_(kMissing);
  values[2][250] = 1e12;
  const std::vector<int64_t> positions = {0, 7, 150, 251, 399};
  const torch::Tensor floats = Encode(SmallRing(37), values, positions, torch::kFloat32).features;
  const torch::Tensor doubles = Encode(SmallRing(37), values, positions, torch::kFloat64).features;
  EXPECT_EQ(floats.scalar_type(), torch::kFloat32);
  // Both take arguments made in double. One is rounded to float, and so is its asinh or logarithm, by 4 units at most.
  // The logarithm of an argument near 1 moves by as much as the argument's rounding.
  EXPECT_TRUE(torch::allclose(floats.to(torch::kFloat64), doubles, Gamma(6, kFloatUnit), Gamma(2, kFloatUnit)));
}

TEST(EncodeTest, RunningNormaliserForgetsBeyondItsHistory) {
  package::ForecasterConfig config = SmallRing(2);
  config.history = 4;
  const torch::Tensor values = torch::tensor({0.0, 0.0, 0.0, 0.0, 8.0}, torch::kFloat64).unsqueeze(0);
  const Encoding encoding = Encode(config, values, {4}, torch::kFloat64);
  const double scale = encoding.scale[0][0].item<double>();
  EXPECT_NEAR(Feature(encoding, 0, 3), std::asinh((2 - 4) / scale), kRounding) << "mean 8 / 4, not 8 / 5";
}

}  // namespace
}  // namespace aaren::nn
