#include <gtest/gtest.h>

#include <cmath>

#include "model/tasks/events/rules/interval_rules.h"
#include "model/tasks/events/rules/mark_rules.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::events {
namespace {

using forecasting::Random;

TEST(IntervalRulesTest, DensitiesAreTheSlopesOfProbabilities) {
  for (const auto& [name, rule] : IntervalRules()) {
    Random random(1, 1);
    for (int i = 0; i < 40; ++i) rule->Observe(random.Exponential());
    for (const double gap : {0.01, 0.3, 1.0, 4.0}) {
      const double h = 1e-4, slope = (rule->Below(gap * std::exp(h)) - rule->Below(gap * std::exp(-h))) / (2 * h);
      EXPECT_NEAR(std::log(slope), rule->LogDensity(gap), 1e-3) << name << " at " << gap;
    }
    EXPECT_NEAR(rule->Below(rule->IntervalAt(0.3)), 0.3, 1e-9) << name;
  }
}

TEST(IntervalRulesTest, AllRulesComeNearToAPoissonProcess) {
  for (const auto& [name, rule] : IntervalRules()) {
    Random random(2, 1);
    double loss = 0;
    for (int i = 0; i < 400; ++i) {
      const double gap = random.Exponential();
      if (i >= 100) loss -= rule->LogDensity(gap) / 300;
      rule->Observe(gap);
    }
    EXPECT_LT(loss, 1.577 + 0.25) << name;  // 1 + Euler's constant, the entropy of the logarithm
  }
}

TEST(IntervalRulesTest, HawkesBeatsLomaxOnClusters) {
  Random random(3, 1);
  const auto hawkes = NewHawkesRule(), lomax = NewLomax();
  double better = 0, excited = 0;
  for (int i = 0; i < 600; ++i) {
    double gap = 0, most, wait;
    do {
      most = 0.1 + excited;
      wait = random.Exponential() / most;
      gap += wait;
      excited *= std::exp(-wait);
    } while (!random.Chance((0.1 + excited) / most));
    excited += 0.8;
    if (i > 100) better += hawkes->LogDensity(gap) - lomax->LogDensity(gap);
    hawkes->Observe(gap);
    lomax->Observe(gap);
  }
  EXPECT_GT(better / 500, 0.05);
}

TEST(MarkRulesTest, ProbabilitiesSumToOne) {
  MarkRules rules;
  for (const uint64_t mark : {1, 2, 1, 1, 3, 2, 1, 2}) {
    rules.Observe(mark);
    for (const auto& [name, rule] : MarkRules::All()) {
      const MarkForecast forecast = (rules.*rule)();
      double sum = forecast.fresh;
      for (const auto& [known, probability] : forecast.known) sum += probability;
      EXPECT_NEAR(sum, 1, 1e-12) << name;
    }
  }
}

TEST(MarkRulesTest, TransitionsKnowACycleAndRepeatKnowsRepeats) {
  MarkRules cycle, same;
  for (int i = 0; i < 60; ++i) {
    cycle.Observe(i % 3);
    same.Observe(i / 20);
  }
  EXPECT_GT(cycle.Transitions().known.at(0), 0.8);
  EXPECT_GT(same.Repeat().known.at(2), 0.8);
}

}  // namespace
}  // namespace aaren::events
