#include "model/season/value_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::season {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Bounds kUnbounded = {-kInfinity, kInfinity};

ValueMemory Holding(const std::vector<float>& values, const Bounds& bounds = kUnbounded) {
  ValueMemory memory;
  memory.Reset();
  for (size_t t = 0; t < values.size(); ++t) memory.Add(t, values[t], bounds);
  return memory;
}

// The remembered values, the newest last.
std::vector<float> Unrolled(const ValueMemory& memory, size_t taken) {
  ValueMemory::Window window;
  const float* newest = memory.Unroll(taken - 1, kUnbounded, window);
  return {newest + 1 - ValueMemory::kValues, newest + 1};
}

std::vector<float> Numbers(size_t length, double scale, uint64_t seed) {
  forecasting::Random random(seed, 0);
  std::vector<float> values;
  for (size_t t = 0; t < length; ++t) values.push_back(static_cast<float>(scale * random.Normal()));
  return values;
}

std::vector<float> Whole(size_t length) {
  std::vector<float> values = Numbers(length, 9000, 3);
  for (float& value : values) value = std::round(value);
  return values;
}

class ValueMemoryLengthTest : public testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Tokens, ValueMemoryLengthTest, testing::Values(1, 47, 48, 49, 1000, 1487, 1488, 1489, 4000));

TEST_P(ValueMemoryLengthTest, KeepsTheLastWholeNumbersAsTheyWere) {
  std::vector<float> values = Whole(GetParam());
  const std::vector<float> unrolled = Unrolled(Holding(values), values.size());
  for (size_t age = 0; age < std::min(values.size(), ValueMemory::kValues); ++age) {
    EXPECT_EQ(unrolled[unrolled.size() - 1 - age], values[values.size() - 1 - age]) << age;
  }
}

TEST_P(ValueMemoryLengthTest, KnowsNothingBeforeTheFirstToken) {
  const std::vector<float> unrolled = Unrolled(Holding(Whole(GetParam())), GetParam());
  for (size_t age = GetParam(); age < ValueMemory::kValues; ++age) {
    EXPECT_TRUE(std::isnan(unrolled[unrolled.size() - 1 - age])) << age;
  }
}

TEST(ValueMemoryTest, RoundsToAPartOfTheBlocksRange) {
  const std::vector<float> values = Numbers(2000, 7.3, 5);
  const std::vector<float> unrolled = Unrolled(Holding(values), values.size());
  for (size_t age = 0; age < ValueMemory::kValues; ++age) {
    const size_t t = values.size() - 1 - age, block = t / 48 * 48;
    if (block + 48 > values.size()) continue;
    const auto [least, most] = std::minmax_element(values.begin() + block, values.begin() + block + 48);
    EXPECT_LE(std::abs(unrolled[unrolled.size() - 1 - age] - values[t]), (*most - *least) / 65534 * 1.001f) << age;
  }
}

TEST(ValueMemoryTest, ForgetsNoGapsAmongValues) {
  std::vector<float> values = Whole(500);
  for (size_t t = 0; t < values.size(); t += 7) values[t] = NAN;
  const std::vector<float> unrolled = Unrolled(Holding(values), values.size());
  for (size_t age = 0; age < values.size(); ++age) {
    EXPECT_EQ(std::isnan(unrolled[unrolled.size() - 1 - age]), (values.size() - 1 - age) % 7 == 0) << age;
  }
}

TEST(ValueMemoryTest, AGlitchDoesNotBlurItsBlock) {
  std::vector<float> values = Numbers(96, 1, 8);
  values[20] = 1e9f;
  const std::vector<float> unrolled = Unrolled(Holding(values, {-32, 32}), values.size());
  for (size_t t = 0; t < 48; ++t) {
    const float bounded = std::clamp(values[t], -32.0f, 32.0f);
    EXPECT_NEAR(unrolled[unrolled.size() - values.size() + t], bounded, 64.0 / 65534) << t;
  }
}

TEST(ValueMemoryTest, HoldsTheLargestAndTheSmallestValues) {
  std::vector<float> values(96, 1e30f);
  for (size_t t = 0; t < 48; t += 2) values[t] = -1e30f;
  for (size_t t = 48; t < 96; t += 2) values[t] = 1e30f + 1e24f;
  const std::vector<float> unrolled = Unrolled(Holding(values), values.size());
  for (size_t t = 0; t < 96; ++t) {
    const float before = values[t], after = unrolled[unrolled.size() - 96 + t];
    EXPECT_LE(std::abs(static_cast<double>(after) - before), 2e30 / 65534) << t;
  }
}

TEST(ValueMemoryTest, AnOutageIsNotTypical) {
  std::vector<float> values = Numbers(2000, 1, 9);
  std::fill_n(values.begin() + 1000, 90, -9999.0f);
  const Bounds typical = Holding(values).typical;
  EXPECT_GT(typical.low, -20);
  EXPECT_LT(typical.low, -2);
  EXPECT_GT(typical.high, 2);
}

TEST(ValueMemoryTest, ASpikeADayIsTypical) {
  std::vector<float> values = Numbers(2000, 1, 9);
  for (size_t t = 0; t < values.size(); t += 288) values[t] = 500;
  EXPECT_GE(Holding(values).typical.high, 500);
}

TEST(ValueMemoryTest, EverythingIsTypicalBeforeABlockWithValues) {
  for (const std::vector<float>& values : {Numbers(47, 1, 9), std::vector<float>(500, NAN)}) {
    const Bounds typical = Holding(values).typical;
    EXPECT_EQ(typical.low, -kInfinity);
    EXPECT_EQ(typical.high, kInfinity);
  }
}

TEST(ValueMemoryTest, CallsAMemoryThatSeriesLeavePossible) {
  for (size_t length : {1, 48, 100, 5000}) {
    EXPECT_TRUE(Holding(Numbers(length, 1e20, length)).Check(length).ok()) << length;
  }
}

TEST(ValueMemoryTest, NamesWhatIsImpossible) {
  ValueMemory memory = Holding(Whole(100));
  memory.step[1] = -1;
  EXPECT_EQ(memory.Check(100).message(), "row: step[1] is -1, impossible");
  memory = Holding(Whole(100));
  memory.low[0] = kInfinity;
  EXPECT_EQ(memory.Check(100).message(), "row: low[0] is inf, impossible");
  memory = Holding(Whole(100));
  memory.codes[100] = 5;
  EXPECT_EQ(memory.Check(100).message(), "row: codes[100] is 5, impossible");
  memory = Holding(Whole(100));
  memory.recent[3] = kInfinity;
  EXPECT_EQ(memory.Check(100).message(), "row: recent[3] is inf, impossible");
}

}  // namespace
}  // namespace aaren::season
