#include "model/engine/events/quantiles.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/model/engine/only_target.h"

namespace aaren::events {
namespace {

// Wide and narrow components near and far from each other, some absent.
Outlook RandomOutlook(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform;
  Outlook outlook = kNoOutlook;
  outlook.log_scale = 10 * uniform(random) - 5;
  outlook.tie = uniform(random) < 0.5f ? 0.0f : 0.3f * uniform(random);
  outlook.doubt = uniform(random) < 0.5f ? 0.0f : uniform(random);
  float sum = 0;
  for (size_t k = 0; k < kComponents; ++k) {
    outlook.weight[k] = uniform(random) < 0.3f ? 0.0f : std::exp(8 * uniform(random) - 8);
    outlook.at[k] = 6 * uniform(random) - 3;
    outlook.spread[k] = kLeastSpread + (uniform(random) < 0.3f ? 0.0f : 2 * uniform(random));
    sum += outlook.weight[k];
  }
  for (float& weight : outlook.weight) weight /= sum;
  return outlook;
}

std::vector<float> Levels(size_t count) {
  std::vector<float> levels;
  for (size_t i = 1; i <= count; ++i) levels.push_back(static_cast<float>(i) / static_cast<float>(count + 1));
  return levels;
}

TEST(QuantilesTest, AgreeWithTheProbabilitiesOneByOne) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Outlook outlook = RandomOutlook(seed);
    const std::vector<float> levels = Levels(33);
    std::vector<float> intervals(levels.size());
    IntervalsAt(outlook, levels, intervals.data());
    for (size_t i = 0; i < levels.size(); ++i) {
      if (levels[i] <= outlook.tie) {
        EXPECT_EQ(intervals[i], 0.0f);
      } else {
        EXPECT_NEAR(ProbabilityWithin(outlook, intervals[i]), levels[i], 1e-5) << "seed " << seed << " level " << i;
      }
      if (i > 0) {
        EXPECT_GE(intervals[i], intervals[i - 1]);
      }
    }
  }
}

// A search begins in the middle of the mixture, and these levels lie outside.
TEST(QuantilesTest, FarLevelsAgreeToo) {
  const std::vector<float> levels = {0.0005f, 0.002f, 0.998f, 0.9995f};
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Outlook outlook = RandomOutlook(seed);
    std::vector<float> intervals(levels.size());
    IntervalsAt(outlook, levels, intervals.data());
    for (size_t i = 0; i < levels.size(); ++i) {
      if (levels[i] <= outlook.tie) continue;
      EXPECT_NEAR(ProbabilityWithin(outlook, intervals[i]), levels[i], 1e-5) << "seed " << seed << " level " << i;
    }
  }
}

TEST(QuantilesTest, SpansAgreeWithTheProbabilitiesOneByOne) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Outlook outlook = RandomOutlook(seed);
    const std::vector<double> spans = {1e-9, 0.01, 1, 2.5, 60, 1e10};
    std::vector<float> probabilities(spans.size());
    ProbabilitiesWithin(outlook, spans, probabilities.data());
    for (size_t i = 0; i < spans.size(); ++i) {
      EXPECT_NEAR(probabilities[i], ProbabilityWithin(outlook, spans[i]), 1e-5) << "seed " << seed;
    }
  }
}

TEST(QuantilesTest, ALevelHasTheSameBitsInAnyCompany) {
  const Outlook outlook = RandomOutlook(7);
  const std::vector<float> many = Levels(40);
  std::vector<float> intervals(many.size());
  IntervalsAt(outlook, many, intervals.data());
  for (size_t i = 0; i < many.size(); ++i) {
    float alone = 0;
    IntervalsAt(outlook, {&many[i], 1}, &alone);
    EXPECT_EQ(alone, intervals[i]) << i;
  }
}

// The hash of the bits of many replies.
uint64_t RepliesHash() {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](const std::vector<float>& numbers) {
    for (const float number : numbers) hash = (hash ^ std::bit_cast<uint32_t>(number)) * 0x100000001b3;
  };
  const std::vector<double> spans = {1e-9, 0.01, 1, 2.5, 60, 1e10};
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const std::vector<float> levels = Levels(1 + seed % 40);
    std::vector<float> intervals(levels.size()), probabilities(spans.size());
    IntervalsAt(RandomOutlook(seed), levels, intervals.data());
    ProbabilitiesWithin(RandomOutlook(seed), spans, probabilities.data());
    add(intervals);
    add(probabilities);
  }
  return hash;
}

TEST(QuantilesTest, RepliesHaveTheRecordedBitsOnEveryTarget) {
  for (const int64_t target : engine::ExactTargets()) {
    const engine::OnlyTarget only(target);
    EXPECT_EQ(RepliesHash(), 2984742989887221624u) << hwy::TargetName(target);
  }
}

TEST(QuantilesTest, AnOutlookOfTiesAloneHasNoInterval) {
  Outlook outlook = RandomOutlook(1);
  outlook.tie = 1;
  const std::vector<float> levels = {0.1f, 0.9f};
  std::vector<float> intervals(2, 1.0f);
  IntervalsAt(outlook, levels, intervals.data());
  EXPECT_EQ(intervals, (std::vector<float>{0, 0}));
}

}  // namespace
}  // namespace aaren::events
