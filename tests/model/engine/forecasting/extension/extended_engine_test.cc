// The extended tier beside the exact tier, by the bundled model: far horizons, and covariates.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecast_result.h"
#include "model/package/package.h"
#include "tests/model/engine/hard_series.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

class ExtendedEngineTest : public testing::Test {
 protected:
  static package::ModelPackage Bundled() { return package::LoadPackage(AAREN_BUNDLED_MODEL).value(); }
  static std::unique_ptr<Engine> Extended() { return NewCpuEngine(Bundled(), Tier::kExtended).value(); }

  // Takes all values, each with `covariates` numbers, and returns the selected part from the last, less its origin.
  static std::vector<double> Last(Stepper& stepper, Portion portion) {
    portion.slot = stepper.Open();
    portion.forecast.back() = 1;
    const Outputs outputs = stepper.Step({portion})[0];
    const size_t plain = stepper.engine()->result_floats();
    const ResultTail tail = ResultTail::Of(outputs.results.data(), plain - ResultTail::kFloats);
    std::vector<double> selected;
    for (size_t i = plain; i < outputs.results.size(); ++i) selected.push_back(tail.Absolute(outputs.results[i]));
    return selected;
  }

  static double Day(size_t t) { return std::sin(2 * M_PI * static_cast<double>(t % 24) / 24); }
};

TEST_F(ExtendedEngineTest, RowsHaveTheirPromisedSizes) {
  const std::unique_ptr<Engine> extended = Extended();
  EXPECT_EQ(NewCpuEngine(Bundled()).value()->row_bytes(), 8192);
  EXPECT_EQ(extended->row_bytes(), 9216);
  EXPECT_EQ(extended->Extended({8, 0})->row_bytes(), 10240);
  EXPECT_EQ(extended->Extended({2, 6})->tier(), "extended-2-6");
  EXPECT_EQ(extended->Extended({0, 0, true})->row_bytes(), 28608);
  EXPECT_EQ(extended->Extended({0, 0, true})->tier(), "extended-profile");
  EXPECT_EQ(extended->Extended({2, 6, true})->tier(), "extended-2-6-profile");
}

TEST_F(ExtendedEngineTest, NearForecastsAreThoseOfTheExactTier) {
  Stepper exact(NewCpuEngine(Bundled()).value(), 1), extended(Extended(), 1);
  const std::vector<float> series = EventfulSeries(900);
  EXPECT_TRUE(exact.Feed(exact.Open(), series) == extended.Feed(extended.Open(), series));
}

TEST_F(ExtendedEngineTest, ASeasonGoesOnFarAhead) {
  Stepper stepper(Extended(), 1);
  Portion portion;
  const size_t count = 1500;
  for (size_t t = 0; t < count; ++t) portion.values.push_back(static_cast<float>(10 + Day(t)));
  portion.forecast.resize(count);
  portion.selection = {{49, 100, 337, 720, 1024}, {0.1f, 0.5f, 0.9f}};
  const std::vector<double> selected = Last(stepper, portion);
  for (size_t k = 0; k < portion.selection.steps.size(); ++k) {
    EXPECT_NEAR(selected[3 * k + 1], 10 + Day(count - 1 + portion.selection.steps[k]), 0.1) << k;
    EXPECT_LE(selected[3 * k], selected[3 * k + 1]);
    EXPECT_LE(selected[3 * k + 1], selected[3 * k + 2]);
  }
}

TEST_F(ExtendedEngineTest, JoinsTheNearForecastWithoutAJump) {
  Stepper stepper(Extended(), 1);
  Portion portion;
  double walk = 0;
  for (size_t t = 0; t < 1200; ++t) {
    walk += static_cast<double>(t * t * 7919 % 1013) / 1013.0 - 0.5;
    portion.values.push_back(static_cast<float>(walk));
  }
  portion.forecast.resize(1200);
  portion.selection = {{47, 48, 49, 50}, {0.1f, 0.5f, 0.9f}};
  const std::vector<double> selected = Last(stepper, portion);
  const double width = selected[3 + 2] - selected[3];
  for (size_t level = 0; level < 3; ++level) {
    EXPECT_NEAR(selected[6 + level], selected[3 + level], 0.1 * width) << level;
  }
}

TEST_F(ExtendedEngineTest, AYoungSessionForecastsFarAhead) {
  Stepper stepper(Extended(), 3);
  for (const size_t count : {1, 5, 40}) {
    Portion portion = {.slot = {}, .values = std::vector<float>(count, 7.5f), .forecast = std::vector<uint8_t>(count)};
    portion.selection = {{1024}, {0.005f, 0.5f, 0.995f}};
    const std::vector<double> selected = Last(stepper, portion);
    EXPECT_NEAR(selected[1], 7.5, 0.5) << count;
    for (const double quantile : selected) EXPECT_TRUE(std::isfinite(quantile));
  }
}

TEST_F(ExtendedEngineTest, RefusesAStepBeyondTheLast) {
  Stepper stepper(Extended(), 1);
  const std::vector<float> values = {1};
  const std::vector<uint8_t> wanted = {1};
  std::vector<float> forecasts(stepper.engine()->result_floats() + 1);
  const Selection selection{{1025}, {0.5f}};
  const engine::Run run = {.slot = stepper.Open(),
                           .values = values,
                           .forecast = wanted,
                           .forecasts = forecasts.data(),
                           .selection = &selection};
  EXPECT_TRUE(absl::IsInvalidArgument(stepper.lane().Submit({&run, 1}).status()));
}

TEST_F(ExtendedEngineTest, ForeignRowsAreHeldAgainstWhatASessionCanLeave) {
  const std::unique_ptr<Engine> engine = Extended()->Extended({1, 1});
  std::vector<std::byte> row(engine->row_bytes());
  engine->ResetRow(absl::MakeSpan(row));
  EXPECT_TRUE(engine->CheckRow(row).ok());
  // A sum of the covariates, and an error of a knot.
  const double missing = NAN;
  std::vector<std::byte> foreign = row;
  std::memcpy(&foreign[8192], &missing, sizeof(missing));
  EXPECT_TRUE(absl::IsDataLoss(engine->CheckRow(foreign).status()));
  const float much = 1e9f;
  foreign = row;
  std::memcpy(&foreign[8192 + (3 + 6 + 2) * sizeof(double) + 18 * 2 * sizeof(float)], &much, sizeof(much));
  EXPECT_TRUE(absl::IsDataLoss(engine->CheckRow(foreign).status()));
}

// A day, and a flag that adds 3 for six tokens.
class CovariatesEngineTest : public ExtendedEngineTest {
 protected:
  static bool Flag(size_t t) { return t / 6 * 7919 % 11 == 3; }

  // The portion of a session whose value follows the flag; `known` is told of the next tokens.
  static Portion Flagged(size_t count, float known) {
    Portion portion;
    for (size_t t = 0; t < count; ++t) {
      const std::vector<float> value = RunValues({10 + Day(t) + (Flag(t) ? 3.0 : 0.0)});
      portion.values.insert(portion.values.end(), value.begin(), value.end());
      portion.values.insert(portion.values.end(), {Flag(t) ? 1.0f : 0.0f, known, known});
    }
    portion.forecast.resize(count);
    portion.selection = {{5, 20}, {0.5f}};
    return portion;
  }
};

TEST_F(CovariatesEngineTest, AnEffectIsLearnedAndForecast) {
  Stepper stepper(Extended()->Extended({0, 1}), 2);
  const std::vector<double> off = Last(stepper, Flagged(1500, 0)), on = Last(stepper, Flagged(1500, 1));
  for (const size_t k : {0, 1}) {
    EXPECT_NEAR(on[k] - off[k], 3, 0.3);
    EXPECT_NEAR(off[k], 10 + Day(1499 + (k == 0 ? 5 : 20)), 0.5);
  }
}

TEST_F(CovariatesEngineTest, AMissingFutureIsTakenForThePresent) {
  Stepper stepper(Extended()->Extended({0, 1}), 2);
  EXPECT_EQ(Last(stepper, Flagged(1500, NAN)), Last(stepper, Flagged(1500, Flag(1499) ? 1 : 0)));
}

TEST_F(CovariatesEngineTest, CovariatesThatAreMissingChangeNothing) {
  Stepper with(Extended()->Extended({1, 1}), 1), without(Extended(), 1);
  const std::vector<float> series = EventfulSeries(600);
  Portion portion;
  for (const float value : series) {
    const std::vector<float> both = RunValues({value});
    portion.values.insert(portion.values.end(), both.begin(), both.end());
    portion.values.insert(portion.values.end(), {NAN, NAN, NAN});
  }
  portion.forecast.resize(series.size());
  portion.selection = {{300}, {0.1f, 0.5f}};
  Portion plain = {.slot = {}, .values = series, .forecast = portion.forecast, .selection = portion.selection};
  EXPECT_EQ(Last(with, portion), Last(without, plain));
}

TEST_F(CovariatesEngineTest, CovariatesWithoutEffectCostNothing) {
  Stepper with(Extended()->Extended({2, 2}), 1), without(Extended(), 1);
  Portion portion, plain;
  for (size_t t = 0; t < 2000; ++t) {
    const auto noise = [t](size_t seed) { return static_cast<float>((t + seed) * (t + seed) * 7919 % 1013) / 100.0f; };
    const double value = 10 + Day(t) + 0.05 * noise(1);
    const std::vector<float> both = RunValues({value});
    portion.values.insert(portion.values.end(), both.begin(), both.end());
    plain.values.insert(plain.values.end(), both.begin(), both.end());
    for (size_t seed = 2; seed < 8; ++seed) portion.values.push_back(noise(100 * seed));
  }
  plain.forecast.resize(2000);
  portion.forecast.resize(2000);
  plain.selection = portion.selection = {{10}, {0.1f, 0.5f, 0.9f}};
  const std::vector<double> a = Last(with, portion), b = Last(without, plain);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 0.02 * (b[2] - b[0])) << i;
}

// A day of 96 values with a shape, and noise that lasts: an autoregression of 0.9.
class ProfileEngineTest : public ExtendedEngineTest {
 protected:
  static constexpr size_t kDay = 96, kDays = 40;

  static double Shape(size_t t) {
    return 3 * std::sin(2 * M_PI * static_cast<double>(t % kDay * (t % kDay) % 97) / 97);
  }

  static std::vector<double> Days(size_t count) {
    std::vector<double> series;
    double noise = 0;
    for (size_t t = 0; t < count; ++t) {
      noise = 0.9 * noise + static_cast<double>(t * t * 7919 % 1013) / 1013.0 - 0.5;
      series.push_back(1e6 + Shape(t) + noise);
    }
    return series;
  }

  // The mean error of the medians 49 ... `last` steps ahead, from every 13th token of the last ten days. With 48, the
  // mean error of the medians 1 ... 48.
  static double Error(const Extension& extension, uint32_t last = 48) {
    Stepper stepper(Extended()->Extended(extension), 1);
    const std::vector<double> series = Days(kDay * kDays);
    Portion portion = {.slot = stepper.Open(), .values = RunValues(series), .forecast = {}};
    for (uint32_t step = last > 48 ? 49 : 1; step <= last; ++step) portion.selection.steps.push_back(step);
    portion.selection.levels = {0.5f};
    for (size_t t = 0; t < series.size(); ++t) {
      portion.forecast.push_back(t >= kDay * (kDays - 10) && t % 13 == 0 && t + last < series.size());
    }
    const std::vector<float> results = stepper.Step({portion})[0].results;
    const size_t plain = stepper.engine()->result_floats(), steps = portion.selection.steps.size();
    double sum = 0, count = 0;
    for (size_t t = 0, at = 0; t < series.size(); ++t) {
      if (portion.forecast[t] == 0) continue;
      const ResultTail tail = ResultTail::Of(&results[at], plain - ResultTail::kFloats);
      for (size_t k = 0; k < steps; ++k, ++count) {
        sum += std::abs(series[t + portion.selection.steps[k]] - tail.Absolute(results[at + plain + k]));
      }
      at += plain + steps;
    }
    return sum / count;
  }
};

TEST_F(ProfileEngineTest, AStableSeasonIsForecastBetter) { EXPECT_LT(Error({0, 0, true}), 0.95 * Error({})); }

// The half-rate view sees four days as one sees two.
TEST_F(ProfileEngineTest, AStableSeasonIsForecastBetterBeyondTheModelsSteps) {
  EXPECT_LT(Error({0, 0, true}, 120), 0.92 * Error({}, 120));
}

TEST_F(ProfileEngineTest, ASeriesWithoutASeasonIsForecastTheSame) {
  Stepper with(Extended()->Extended({0, 0, true}), 1), without(Extended(), 1);
  std::vector<float> walk = {0};
  std::mt19937_64 random(5);
  while (walk.size() < 60) walk.push_back(walk.back() + static_cast<float>(random() % 100));
  EXPECT_TRUE(with.Feed(with.Open(), walk) == without.Feed(without.Open(), walk));
}

// A token takes 24 of the remembered ones at most, so no token waits for all of them.
TEST_F(ProfileEngineTest, ANewSeasonIsLearnedAFewRememberedTokensAtATime) {
  Stepper stepper(Extended()->Extended({0, 0, true}), 1);
  const Slot slot = stepper.Open();
  const std::vector<double> days = Days(1500);
  std::vector<uint16_t> behind;
  for (size_t t = 0; t < days.size() && (behind.empty() || behind.back() > 0); ++t) {
    stepper.Step({{.slot = slot, .values = RunValues({days[t]}), .forecast = {0}}});
    uint16_t now;
    std::memcpy(&now, &stepper.RowBytes(slot)[8192 + 976 + 936 + 6], sizeof(now));  // rule 17.1
    if (now > 0 || !behind.empty()) behind.push_back(now);
  }
  ASSERT_GE(behind.size(), 2);
  EXPECT_EQ(behind.back(), 0);
  for (size_t i = 1; i < behind.size(); ++i) EXPECT_LE(behind[i - 1] - behind[i], 23) << i;
}

TEST_F(ProfileEngineTest, ForeignRowsAreHeldAgainstWhatASessionCanLeave) {
  const std::unique_ptr<Engine> engine = Extended()->Extended({0, 0, true});
  Stepper stepper(Extended()->Extended({0, 0, true}), 1);
  const Slot slot = stepper.Open();
  stepper.Step({{.slot = slot, .values = RunValues(Days(1500)), .forecast = std::vector<uint8_t>(1500)}});
  const std::vector<std::byte> row = stepper.RowBytes(slot);
  ASSERT_TRUE(engine->CheckRow(row).ok()) << engine->CheckRow(row).status();
  const size_t view = row.size() - 2 * 8192, profile = 8192 + 976 + 936;  // behind the far horizons
  uint16_t season;
  std::memcpy(&season, &row[profile], sizeof(season));
  ASSERT_EQ(season, kDay);
  const float infinite = INFINITY;
  // The season; how far behind; the level; the seasons of a phase; a sum; a kept median; the token number and
  // statistics of the view.
  for (const size_t place : {profile, profile + 4, profile + 12, profile + 16 + 336 * 4 + 5, profile + 1696,
                             profile + 1696 + 144, view, view + 12}) {
    std::vector<std::byte> foreign = row;
    std::memcpy(&foreign[place], &infinite, sizeof(infinite));
    EXPECT_TRUE(absl::IsDataLoss(engine->CheckRow(foreign).status())) << place;
  }
}

}  // namespace
}  // namespace aaren::engine
