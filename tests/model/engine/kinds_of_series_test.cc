// The bundled model on users' kinds of series: high levels, regular holes, flags and counts, decimal numbers, and the
// first hundred values. Intervals keep the promised coverage, and alerts come at the chosen rate.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "model/engine/forecast_result.h"
#include "model/package/package.h"
#include "model/tasks/forecasting/parts/random.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kRate = 0.01;  // alerts per value

using Values = std::vector<double>;

class KindsOfSeriesTest : public testing::Test {
 protected:
  // A session's judgement of the values one step ahead.
  struct Judgement {
    double values = 0, inside = 0, alerts = 0;  // inside: the 80 % interval
    double early_alerts = 0;                    // while the session is learning

    void Add(const Judgement& other) {
      values += other.values;
      inside += other.inside;
      alerts += other.alerts;
      early_alerts += other.early_alerts;
    }
  };

  size_t floats() const { return stepper_.engine()->result_floats(); }
  size_t quantiles() const { return floats() - ResultTail::kFloats; }
  ResultTail TailAt(const Outputs& outputs, size_t t) const {
    return ResultTail::Of(&outputs.results[t * floats()], quantiles());
  }

  Outputs Feed(const Values& values, Refinement refinement = Refinement::kRestricted) {
    const Slot slot = stepper_.Open();
    const Outputs outputs = stepper_.FeedDoubles(slot, values, refinement);
    stepper_.lane().Free({&slot, 1});
    return outputs;
  }

  // Judges the values from the session's first learned value on.
  Judgement Judge(const Values& values) {
    const Outputs outputs = Feed(values);
    Judgement judgement;
    for (size_t t = 1; t < values.size(); ++t) {
      if (std::isnan(values[t]) || std::isnan(outputs.surprises[t])) continue;
      const ResultTail tail = TailAt(outputs, t - 1);
      const bool alerts = outputs.surprises[t] < kRate / 2 || outputs.surprises[t] > 1 - kRate / 2;
      if (TailAt(outputs, t).learning) {
        judgement.early_alerts += alerts;
        continue;
      }
      const float value = static_cast<float>(values[t] - tail.origin);
      const float* quantiles = &outputs.results[(t - 1) * floats()];
      judgement.values += 1;
      judgement.inside += quantiles[0] <= value && value <= quantiles[levels_ - 1];
      judgement.alerts += alerts;
    }
    return judgement;
  }

  // The judgement of some series of a kind together. draw(random, t) is the value at t.
  template <typename Draw>
  Judgement JudgeSome(size_t count, size_t length, Draw draw) {
    Judgement judgement;
    for (size_t i = 0; i < count; ++i) {
      forecasting::Random random(71, i);
      Values values;
      for (size_t t = 0; t < length; ++t) values.push_back(draw(random, t));
      judgement.Add(Judge(values));
    }
    RecordProperty("inside", std::to_string(judgement.inside / judgement.values));
    RecordProperty("alerts", std::to_string(judgement.alerts / judgement.values));
    RecordProperty("early", std::to_string(judgement.early_alerts));
    return judgement;
  }

  const package::ModelPackage package_ = package::LoadPackage(AAREN_BUNDLED_MODEL).value();
  const size_t levels_ = package_.config.quantiles.size();
  Stepper stepper_{package_};
};

double Wave(size_t t, double period) { return std::sin(2 * std::numbers::pi * static_cast<double>(t) / period); }

// Whole numbers around a level.
Values Around(double level, size_t length) {
  forecasting::Random random(70, 1);
  Values values;
  for (size_t t = 0; t < length; ++t) values.push_back(level + std::round(3 * random.Normal() + 5 * Wave(t, 24)));
  return values;
}

// The first eight values have a spread by the level (rule 2.9).
TEST_F(KindsOfSeriesTest, AHighLevelChangesNoBitAfterEightValues) {
  const Outputs low = Feed(Around(0, 800));
  for (double level : {1e9, 123456789.0, 1e12, -1e12}) {
    const Outputs high = Feed(Around(level, 800));
    for (size_t t = 9; t < 800; ++t) {
      for (size_t i = 0; i < quantiles(); ++i) {
        ASSERT_EQ(high.results[t * floats() + i], low.results[t * floats() + i]) << level << ", token " << t;
      }
      ASSERT_EQ(high.surprises[t], low.surprises[t]) << level << ", token " << t;
    }
  }
}

TEST_F(KindsOfSeriesTest, WholeNumbersOfManyDigitsComeBackAsWholeNumbers) {
  const Outputs outputs = Feed(Around(123456789, 200));
  const ResultTail tail = TailAt(outputs, 199);
  for (size_t i = 0; i < quantiles(); ++i) {
    const double quantile = tail.Absolute(outputs.results[199 * floats() + i]);
    ASSERT_EQ(quantile, std::round(quantile));
    ASSERT_NEAR(quantile, 123456789, 30);
  }
}

TEST_F(KindsOfSeriesTest, AJumpOfACounterIsSeenAtAnyLevel) {
  for (double level : {0.0, 1e8, 1e9, 1e12}) {
    Values values = Around(level, 600);
    values[500] += 40;
    const Outputs outputs = Feed(values);
    int alerts = 0;
    for (size_t t = 100; t < 600; ++t) alerts += outputs.surprises[t] < 0.0005f || outputs.surprises[t] > 0.9995f;
    EXPECT_GT(outputs.surprises[500], 0.9995f) << level;
    EXPECT_LE(alerts, 4) << level;
  }
}

// A counter grown to a hundred million times the step.
TEST_F(KindsOfSeriesTest, ACounterIsForecastAsFinelyWhereverItHasGot) {
  for (double start : {0.0, 1e12}) {
    forecasting::Random random(72, 1);
    Values values = {start};
    for (size_t t = 1; t < 60000; ++t) values.push_back(values.back() + 10 + std::round(2 * random.Normal()));
    values.erase(values.begin(), values.begin() + 40000);
    values.insert(values.begin(), start - 1e9);  // the first value is far away
    const Judgement judgement = Judge(values);
    EXPECT_NEAR(judgement.inside / judgement.values, 0.8, 0.1) << start;
    EXPECT_LT(judgement.alerts / judgement.values, 0.02) << start;
  }
}

TEST_F(KindsOfSeriesTest, NoiseWithRegularHolesHasTheIntervalsOfNoise) {
  for (size_t every : {2, 3, 4, 6, 10, 12}) {
    const Judgement judgement = JudgeSome(5, 250 * every, [every](forecasting::Random& random, size_t t) {
      if (t % every != 1) return kMissing;
      return 50 + 3 * random.Normal();
    });
    EXPECT_NEAR(judgement.inside / judgement.values, 0.8, 0.07) << every;
    EXPECT_LT(judgement.alerts / judgement.values, 0.02) << every;
  }
}

TEST_F(KindsOfSeriesTest, AWalkWithRegularHolesHasTheIntervalsOfAWalk) {
  for (size_t every : {2, 6, 12}) {
    double at = 0;
    const Judgement judgement = JudgeSome(5, 250 * every, [&](forecasting::Random& random, size_t t) {
      at = t == 0 ? 20 : at + random.Normal() / std::sqrt(every);
      return t % every == 1 ? at : kMissing;
    });
    EXPECT_NEAR(judgement.inside / judgement.values, 0.8, 0.1) << every;
    EXPECT_LT(judgement.alerts / judgement.values, 0.025) << every;
  }
}

TEST_F(KindsOfSeriesTest, ADayWithRegularHolesIsForecastAsADay) {
  const auto judge = [this](size_t every) {
    return JudgeSome(5, 500 * every, [every](forecasting::Random& random, size_t t) {
      if (t % every != every - 1) return kMissing;
      return 20 + 8 * Wave(t / every, 24) + random.Normal();
    });
  };
  const Judgement whole = judge(1);
  for (size_t every : {2, 6, 12}) {
    const Judgement judgement = judge(every);
    EXPECT_NEAR(judgement.inside / judgement.values, whole.inside / whole.values, 0.07) << every;
    EXPECT_LT(judgement.alerts / judgement.values, 0.02) << every;
  }
}

// True if row t of a series has a value. Patterns 0 to 2 lose a tenth, a third or a half by chance, pattern 3 two of
// four rows.
bool Present(int pattern, forecasting::Random& random, size_t t) {
  constexpr double kLost[] = {0.1, 1.0 / 3, 0.5};
  const double drawn = random.Uniform(0, 1);
  return pattern < 3 ? drawn >= kLost[pattern] : t % 4 < 2;
}

TEST_F(KindsOfSeriesTest, NoiseWithAnyHolesHasTheIntervalsOfNoise) {
  for (int pattern = 0; pattern < 4; ++pattern) {
    const Judgement judgement = JudgeSome(5, 600, [pattern](forecasting::Random& random, size_t t) {
      const double value = 50 + 3 * random.Normal();
      return Present(pattern, random, t) ? value : kMissing;
    });
    EXPECT_NEAR(judgement.inside / judgement.values, 0.8, 0.07) << pattern;
    EXPECT_LT(judgement.alerts / judgement.values, 0.02) << pattern;
  }
}

TEST_F(KindsOfSeriesTest, AWalkWithAnyHolesHasTheIntervalsOfAWalk) {
  for (int pattern = 0; pattern < 4; ++pattern) {
    double at = 0;
    const Judgement judgement = JudgeSome(5, 800, [&](forecasting::Random& random, size_t t) {
      at = t == 0 ? 20 : at + random.Normal();
      return Present(pattern, random, t) ? at : kMissing;
    });
    EXPECT_NEAR(judgement.inside / judgement.values, 0.8, 0.12) << pattern;
    EXPECT_LT(judgement.alerts / judgement.values, 0.025) << pattern;
  }
}

TEST_F(KindsOfSeriesTest, ADayWithAnyHolesHasNearlyTheIntervalsOfADay) {
  const auto judge = [this](int pattern) {
    return JudgeSome(5, 1000, [pattern](forecasting::Random& random, size_t t) {
      const double value = 20 + 8 * Wave(t, 48) + random.Normal();
      return pattern < 0 || Present(pattern, random, t) ? value : kMissing;
    });
  };
  const Judgement whole = judge(-1);
  for (int pattern = 0; pattern < 4; ++pattern) {
    const Judgement judgement = judge(pattern);
    EXPECT_NEAR(judgement.inside / judgement.values, whole.inside / whole.values, 0.1) << pattern;
    EXPECT_LT(judgement.alerts / judgement.values, 0.025) << pattern;
  }
}

TEST_F(KindsOfSeriesTest, AForecastIsWiderTheLongerAWalkHasNotBeenSeen) {
  forecasting::Random random(72, 1);
  Values values = {20};
  while (values.size() < 400) values.push_back(values.back() + random.Normal());
  values.insert(values.end(), 12, kMissing);
  const Outputs outputs = Feed(values, Refinement::kNetwork);
  const auto width = [&](size_t t) {
    const float* quantiles = &outputs.results[t * floats()];
    return quantiles[levels_ - 1] - quantiles[0];
  };
  for (const size_t missing : {1, 4, 12}) EXPECT_GT(width(399 + missing), 1.15 * width(399)) << missing;
  EXPECT_GT(width(411), 1.5 * width(400));
}

TEST_F(KindsOfSeriesTest, ASeriesThatGetsRegularHolesKeepsItsIntervals) {
  const Judgement judgement = JudgeSome(5, 2000, [](forecasting::Random& random, size_t t) {
    const double value = 50 + 3 * random.Normal();
    return t < 800 || t % 2 == 1 ? value : kMissing;
  });
  EXPECT_NEAR(judgement.inside / judgement.values, 0.8, 0.07);
  EXPECT_LT(judgement.alerts / judgement.values, 0.02);
}

TEST_F(KindsOfSeriesTest, AFlagAlertsAtTheRateOrLess) {
  for (double share : {0.5, 0.3, 0.1, 0.03, 0.003}) {
    const Judgement judgement = JudgeSome(
        5, 1000, [share](forecasting::Random& random, size_t) { return random.Uniform() < share ? 1.0 : 0.0; });
    EXPECT_LT(judgement.alerts / judgement.values, 0.015) << share;
  }
}

TEST_F(KindsOfSeriesTest, AFlagThatIsHardlyEverUpAlertsWhenItIs) {
  Values values(1000, 0.0);
  for (size_t t : {150, 900}) values[t] = 1.0;
  const Outputs outputs = Feed(values);
  EXPECT_GT(outputs.surprises[900], 1 - kRate / 2);
}

TEST_F(KindsOfSeriesTest, AFlagIsForecastBetweenItsTwoValues) {
  forecasting::Random random(73, 1);
  Values values;
  for (size_t t = 0; t < 500; ++t) values.push_back(random.Uniform() < 0.3 ? 230.0 : 0.0);
  const std::vector<float> forecasts = Feed(values).forecasts;
  for (size_t i = 40 * quantiles(); i < forecasts.size(); ++i) {
    ASSERT_TRUE(forecasts[i] == 0.0f || forecasts[i] == 230.0f) << forecasts[i];
  }
}

TEST_F(KindsOfSeriesTest, SmallCountsAlertAtTheRateOrLess) {
  for (double mean : {0.5, 1.5, 3.0}) {
    const Judgement judgement = JudgeSome(5, 1000, [mean](forecasting::Random& random, size_t) {
      double count = -1, product = 1;  // Poisson, by Knuth
      for (; product > std::exp(-mean); ++count) product *= random.Uniform();
      return count;
    });
    EXPECT_LT(judgement.alerts / judgement.values, 0.02) << mean;
  }
}

TEST_F(KindsOfSeriesTest, TheFirstDaysAreLearning) {
  const Judgement judgement =
      JudgeSome(20, 400, [](forecasting::Random& random, size_t t) { return 20 + 8 * Wave(t, 48) + random.Normal(); });
  EXPECT_LT(judgement.alerts / judgement.values, 0.025);
}

TEST_F(KindsOfSeriesTest, ASessionLearnsForAHundredValuesOrASeason) {
  forecasting::Random random(74, 1);
  Values noise, day;
  for (size_t t = 0; t < 120; ++t) {
    noise.push_back(random.Normal());
    day.push_back(10 * Wave(t, 24) + 0.1 * random.Normal());
  }
  const Outputs of_noise = Feed(noise), of_day = Feed(day);
  EXPECT_TRUE(TailAt(of_noise, 98).learning);
  EXPECT_FALSE(TailAt(of_noise, 99).learning);
  EXPECT_TRUE(TailAt(of_day, 40).learning);
  EXPECT_FALSE(TailAt(of_day, 90).learning);
}

// A value and a quantile are compared as floats relative to the origin.
TEST_F(KindsOfSeriesTest, DecimalNumbersLieInTheirIntervals) {
  for (const Values& cycle : {Values{21.3}, Values{213}, Values{18.7, 21.3, 21.3}, Values{0.1, 0.2, 0.3, 0.2}}) {
    Values values;
    for (size_t t = 0; t < 400; ++t) values.push_back(cycle[t / 10 % cycle.size()]);
    const Outputs outputs = Feed(values);
    double inside = 0;
    for (size_t t = 200; t < 400; ++t) {
      const float value = static_cast<float>(values[t] - TailAt(outputs, t - 1).origin);
      const float* quantiles = &outputs.results[(t - 1) * floats()];
      inside += t % 10 == 0 || (quantiles[0] <= value && value <= quantiles[levels_ - 1]);
    }
    EXPECT_EQ(inside, 200) << cycle[0];
  }
}

}  // namespace
}  // namespace aaren::engine
