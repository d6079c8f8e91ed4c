#include "client/cli/evaluate/events/quantile_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "model/tasks/events/rules/interval_rules.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::cli {
namespace {

using forecasting::Random;

// The quantiles that a server with the law of a rule would send.
QuantileLaw LawOf(const events::IntervalRule& rule, double tie = 0) {
  const std::vector<float> levels = EvaluationLevels();
  std::vector<float> seconds;
  for (const float level : levels) {
    seconds.push_back(level <= tie ? 0 : static_cast<float>(rule.IntervalAt((level - tie) / (1 - tie))));
  }
  return QuantileLaw(levels, seconds, tie);
}

// The loss is a mean over intervals of the law itself, at equal steps of its levels.
TEST(QuantileLawTest, LosesLittleBesideTheLawItself) {
  constexpr int kGaps = 2000;
  for (const auto& [name, rule] : events::IntervalRules()) {
    Random random(1, 1);
    for (int i = 0; i < 100; ++i) rule->Observe(random.Exponential());
    const QuantileLaw law = LawOf(*rule);
    double loss = 0;
    for (int i = 0; i < kGaps; ++i) {
      const double gap = rule->IntervalAt((i + 0.5) / kGaps);
      loss += (rule->LogDensity(gap) - law.LogDensity(gap)) / kGaps;
    }
    EXPECT_GE(loss, 0) << name;
    EXPECT_LT(loss, 0.03) << name;
  }
}

TEST(QuantileLawTest, DensityIsTheSlopeOfTheProbability) {
  const auto rule = events::NewLomax();
  for (int i = 1; i < 20; ++i) rule->Observe(i);
  const QuantileLaw law = LawOf(*rule);
  for (const double gap : {1e-4, 0.01, 0.31, 3.3, 47.0, 1e3}) {
    const double h = 1e-6, slope = (law.Below(gap * std::exp(h)) - law.Below(gap * std::exp(-h))) / (2 * h);
    EXPECT_NEAR(std::log(slope), law.LogDensity(gap), 1e-4) << gap;
  }
  EXPECT_NEAR(law.Below(1e9), 1, 1e-3);
  EXPECT_NEAR(law.Below(1e-9), 0, 1e-3);
}

TEST(QuantileLawTest, QuantilesComeBack) {
  const auto rule = events::NewLogNormal();
  for (const double gap : {1.0, 2.0, 5.0, 0.3}) rule->Observe(gap);
  const QuantileLaw law = LawOf(*rule);
  for (const double level : {0.001, 0.1, 0.5, 0.9, 0.999}) {
    EXPECT_NEAR(law.Below(law.IntervalAt(level)), level, 1e-6);
  }
  EXPECT_NEAR(law.IntervalAt(0.3), rule->IntervalAt(0.3), 1e-5 * rule->IntervalAt(0.3));
}

TEST(QuantileLawTest, TiesHaveTheirOwnProbability) {
  const auto rule = events::NewLogNormal();
  for (const double gap : {1.0, 2.0, 5.0, 0.3}) rule->Observe(gap);
  const QuantileLaw law = LawOf(*rule, 0.25);
  EXPECT_EQ(law.Tie(), 0.25);
  EXPECT_EQ(law.IntervalAt(0.2), 0);
  EXPECT_NEAR(law.IntervalAt(0.625), rule->IntervalAt(0.5), 1e-4);
  EXPECT_NEAR(law.Below(rule->IntervalAt(0.5)), 0.5, 1e-3);
}

TEST(QuantileLawTest, SpikesAndTiesAloneStayFinite) {
  const std::vector<float> levels = EvaluationLevels();
  for (const float seconds : {0.0f, 3.0f}) {
    const QuantileLaw law(levels, std::vector<float>(levels.size(), seconds), seconds == 0 ? 1 : 0);
    for (const double gap : {1e-9, 3.0, 1e9}) {
      EXPECT_TRUE(std::isfinite(law.LogDensity(gap))) << seconds << " " << gap;
      EXPECT_TRUE(law.Below(gap) >= 0 && law.Below(gap) <= 1) << seconds << " " << gap;
    }
    EXPECT_TRUE(std::isfinite(law.IntervalAt(0.9)));
  }
}

}  // namespace
}  // namespace aaren::cli
