#include "model/season/seasons.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::season {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Bounds kUnbounded = {-kInfinity, kInfinity};

constexpr double kUnit = 100;

struct Session {
  ValueMemory values;
  LagErrors errors;
  uint64_t seq = 0;

  Session() {
    values.Reset();
    errors.Reset();
  }
  void Take(float value) {
    values.Add(seq, value, kUnbounded);
    if (seq == LagErrors::kFirst) errors.SetUnit(kUnit);
    errors.Add(seq++, value, kUnbounded, values);
  }
  SeasonChoice Chosen() const { return ChooseSeasons(SeasonScores(seq - 1, errors)); }
  Seasons Found() const { return DescribeSeasons(seq - 1, errors, Chosen()); }
};

Session After(size_t length, const std::function<double(size_t)>& value) {
  Session session;
  for (size_t t = 0; t < length; ++t) session.Take(static_cast<float>(value(t)));
  return session;
}

double Wave(size_t t, double period) { return std::sin(2 * std::numbers::pi * static_cast<double>(t) / period); }

// A day's shape, which no shorter lag repeats.
double Day(size_t t, size_t day) {
  const double phase = static_cast<double>(t % day) / static_cast<double>(day);
  return std::exp(-50 * (phase - 0.3) * (phase - 0.3)) + 0.6 * std::exp(-90 * (phase - 0.7) * (phase - 0.7));
}

// The definition of an error, in double, over all values: the mean of the first 1,500, exponential from there on.
// REQUIRES: no error is beyond 4 units.
double ErrorOf(const std::vector<float>& values, size_t lag) {
  double mean = NAN;
  const size_t first = std::max<size_t>(lag, 17);
  for (size_t t = first; t < values.size(); ++t) {
    const double error = std::abs(static_cast<double>(values[t]) - values[t - lag]) / kUnit;
    if (std::isnan(error)) continue;
    const double rate = 1 / std::min<double>(static_cast<double>(t - first + 1), 1500);
    mean = std::isnan(mean) ? error : mean + (error - mean) * rate;
  }
  return mean;
}

TEST(LagErrorsTest, AreTheMeanDifferencesAtEachLag) {
  forecasting::Random random(1, 1);
  std::vector<float> values;
  for (size_t t = 0; t < 4000; ++t) {
    values.push_back(t % 11 == 5 ? NAN : static_cast<float>(std::round(50 * random.Normal())));
  }
  Session session;
  for (float value : values) session.Take(value);
  for (size_t i = 0; i < kLagCount; ++i) {
    const double expected = ErrorOf(values, static_cast<size_t>(kLags[i]));
    // Each of 4,000 updates rounds four times.
    EXPECT_NEAR(session.errors.mean[i], expected, 4000 * 4 * 0x1p-24 * expected) << kLags[i];
  }
}

TEST(LagErrorsTest, CountNoDifferenceBeyondFourUnits) {
  const Session session = After(100, [](size_t t) { return t % 2 == 0 ? 1e9 : -1e9; });
  EXPECT_EQ(session.errors.mean[0], 4);
}

TEST(LagErrorsTest, AreBelievedAfterHalfTheLag) {
  const Session session = After(100 + 50, [](size_t t) { return Wave(t, 9); });
  for (size_t i = 0; i < kLagCount; ++i)
    EXPECT_EQ(!std::isnan(session.errors.At(149, kLags[i])), kLags[i] <= 100) << kLags[i];
}

TEST(SeasonsTest, FindsACleanSeason) {
  for (size_t day : {7, 12, 24, 48, 96, 144, 288}) {
    EXPECT_EQ(After(5 * day, [&](size_t t) { return Day(t, day); }).Chosen().first, day);
  }
}

TEST(SeasonsTest, FindsASeasonUnderNoise) {
  forecasting::Random random(5, 5);
  const auto series = [&](size_t t) { return Day(t, 24) + 0.15 * random.Normal(); };
  EXPECT_EQ(After(1000, series).Chosen().first, 24);
}

TEST(SeasonsTest, FindsTheWeekBesideTheDay) {
  forecasting::Random random(6, 6);
  const auto series = [&](size_t t) { return Day(t, 24) * (t / 24 % 7 < 5 ? 1 : 0.7) + 0.02 * random.Normal(); };
  const SeasonChoice chosen = After(3000, series).Chosen();
  EXPECT_EQ(chosen.first, 168);
  EXPECT_EQ(chosen.second, 24);
}

TEST(SeasonsTest, ScoresASeasonFarBelowNoise) {
  forecasting::Random random(7, 7);
  EXPECT_LT(After(1000, [](size_t t) { return Day(t, 24); }).Found().first.score, 0.05f);
  EXPECT_GT(After(1000, [&](size_t) { return random.Normal(); }).Found().first.score, 0.8f);
}

TEST(SeasonsTest, ScoreIsANumberHoweverSmallShorterLagsErrorsAre) {
  Session session = After(200, [](size_t t) { return 50 * Wave(t, 24); });
  std::fill_n(session.errors.mean, 10, 1e-45f);
  EXPECT_LE(DescribeSeasons(session.seq - 1, session.errors, {.first = 24, .second = 48}).first.score, 100);
}

TEST(SeasonsTest, AreNoneInAConstantOrYoungSeries) {
  EXPECT_EQ(After(1000, [](size_t) { return 3.0; }).Chosen().first, 0);
  EXPECT_EQ(After(8, [](size_t t) { return Wave(t, 4); }).Chosen().first, 0);
}

}  // namespace
}  // namespace aaren::season
