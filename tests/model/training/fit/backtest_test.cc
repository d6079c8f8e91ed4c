#include "model/training/fit/backtest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace aaren::training {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Series of 0, 1, 2, ...
Backtest Counting(size_t rows, std::vector<size_t> origins, int season = 2) {
  BacktestSeries series = {
      .name = "n", .values = std::vector<double>(rows), .origins = std::move(origins), .season = season};
  std::iota(series.values.begin(), series.values.end(), 0);
  return {.horizon = 2, .levels = {0.1, 0.5, 0.9}, .series = {series}};
}

// The same point as every quantile of every step.
Forecasts Constant(const Backtest& backtest, double point) {
  const WindowQuantiles window(backtest.horizon * backtest.levels.size(), point);
  return {std::vector<WindowQuantiles>(backtest.series[0].origins.size(), window)};
}

TEST(OriginsTest, WindowsFillTheHeldBackRowsWithoutOverlap) {
  EXPECT_THAT(Origins(90, 100, 4, 10), ElementsAre(90, 96)) << "a third would overlap";
  EXPECT_THAT(Origins(90, 102, 4, 10), ElementsAre(90, 94, 98));
  EXPECT_THAT(Origins(90, 100, 4, 1), ElementsAre(96));
}

TEST(OriginsTest, NoWindowPassesTheLastRow) { EXPECT_TRUE(Origins(98, 100, 4, 10).empty()); }

TEST(LikelySeasonTest, IsTheLagAtWhichValuesRepeat) {
  std::vector<double> values;
  for (int t = 0; t < 400; ++t) values.push_back((t % 24) * (t % 24) + 0.01 * ((t * 7919) % 5));
  EXPECT_EQ(LikelySeason(values, 24) % 24, 0);
  EXPECT_EQ(LikelySeason({values.data(), 10}, 24), 1) << "too short for any";
}

// A value differs less from that four rows before than from yesterday's, but a forecast of a day needs yesterday.
TEST(LikelySeasonTest, OfASmoothSeriesIsItsDayAndNotTheShortestLag) {
  std::vector<double> values;
  for (int t = 0; t < 2000; ++t) values.push_back(std::sin(t * 2 * M_PI / 144) + 0.2 * std::sin(t * 0.013));
  EXPECT_EQ(LikelySeason({values.data(), 2000}, 24) % 144, 0);
}

TEST(NaiveForecastsTest, LastValueIsThatBeforeTheOrigin) {
  Backtest backtest = Counting(12, {6, 8});
  backtest.series[0].values[7] = kMissing;
  const Forecasts forecasts = LastValueForecasts(backtest);
  EXPECT_THAT(forecasts[0][0], ElementsAre(5, 5, 5, 5, 5, 5));
  EXPECT_EQ(forecasts[0][1][0], 6) << "row 7 is missing";
}

TEST(NaiveForecastsTest, SeasonalNaiveHasThePhaseOfItsRow) {
  const Forecasts forecasts = SeasonalNaiveForecasts(Counting(20, {10}, 5));
  EXPECT_THAT(forecasts[0][0], ElementsAre(5, 5, 5, 6, 6, 6));
}

TEST(NaiveForecastsTest, AWindowBeforeAnyValueHasNoForecast) {
  Backtest backtest = Counting(12, {4});
  for (int t = 0; t < 4; ++t) backtest.series[0].values[t] = kMissing;
  EXPECT_TRUE(LastValueForecasts(backtest)[0][0].empty());
}

TEST(ScoreForecastsTest, AgreesWithTheDefinitionsByHand) {
  const Backtest backtest = Counting(12, {10});
  const MethodScore score = ScoreForecasts("ten", backtest, Constant(backtest, 10));
  EXPECT_EQ(score.windows, 1u);
  EXPECT_DOUBLE_EQ(score.mase, 0.5 / 2) << "errors 0 and 1; a step of two seasons is 2";
  EXPECT_DOUBLE_EQ(score.losses[0][0], 2 * (0.1 + 0.5 + 0.9) / 3);
  EXPECT_DOUBLE_EQ(score.wql, score.losses[0][0] / 21);
  EXPECT_DOUBLE_EQ(score.coverage80, 0.5);
}

TEST(ScoreForecastsTest, WindowsWithoutAForecastAreNotScored) {
  const Backtest backtest = Counting(12, {8, 10});
  Forecasts forecasts = Constant(backtest, 10);
  forecasts[0][0].clear();
  const MethodScore score = ScoreForecasts("ten", backtest, forecasts);
  EXPECT_EQ(score.windows, 1u);
  EXPECT_TRUE(std::isnan(score.losses[0][0]));
}

TEST(CompareLossesTest, IsTheMeanChangeInTheReferencesUnits) {
  const MethodScore reference = {.name = "a", .losses = {{1, 3}, {10, 10}}};
  const MethodScore method = {.name = "b", .losses = {{1, 1}, {5, kMissing}}};
  const LossChange change = CompareLosses(method, reference);
  EXPECT_NEAR(change.mean, (0 - 1 - 0.5) / 3, 1e-12);
  EXPECT_NEAR(change.standard_error, std::sqrt(0.25 / 3), 1e-12);
}

TEST(CompareLossesTest, WithoutACommonWindowThereIsNoNumber) {
  EXPECT_TRUE(std::isnan(CompareLosses({.name = "a", .losses = {{1}}}, {.name = "b", .losses = {{kMissing}}}).mean));
}

TEST(BacktestTableTest, HasALineForEachMethod) {
  const std::string table =
      BacktestTable({{{.name = "mine", .mase = kMissing, .wql = 0.25, .windows = 7, .losses = {}}}});
  EXPECT_THAT(table, HasSubstr("MASE"));
  EXPECT_THAT(table, HasSubstr("0.2500"));
  EXPECT_THAT(table, HasSubstr(" - "));
}

TEST(ModelForecastsTest, ForecastsKnowNoRowAfterTheirOrigin) {
  const package::ModelPackage package = package::LoadPackage(AAREN_BUNDLED_MODEL).value();
  Backtest backtest = {
      .horizon = 24, .levels = {package.config.quantiles.begin(), package.config.quantiles.end()}, .series = {}};
  BacktestSeries series = {.name = "wave", .values = {}, .origins = {300, 340}, .season = 24};
  for (int t = 0; t < 400; ++t) series.values.push_back(std::sin(t * 0.26));
  backtest.series = {series};
  const absl::StatusOr<Forecasts> whole = ModelForecasts(package, backtest);
  ASSERT_TRUE(whole.ok()) << whole.status();
  backtest.series[0].values.resize(300);
  backtest.series[0].origins = {300};
  const absl::StatusOr<Forecasts> cut = ModelForecasts(package, backtest);
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ((*cut)[0][0], (*whole)[0][0]);
  EXPECT_NEAR((*cut)[0][0][4], std::sin(300 * 0.26), 0.2);
}

TEST(ModelForecastsTest, APackageOfOtherQuantilesIsRefused) {
  const package::ModelPackage package = package::LoadPackage(AAREN_BUNDLED_MODEL).value();
  EXPECT_EQ(ModelForecasts(package, Counting(400, {300})).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace aaren::training
