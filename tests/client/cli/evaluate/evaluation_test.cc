#include "client/cli/evaluate/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/cli/evaluate/score_report.h"
#include "tests/client/fake_server.h"

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;

TEST(OriginsTest, NegativeStartCountsFromTheEnd) {
  EXPECT_THAT(*Origins(100, {.horizon = 24, .start = -96, .windows = 1}), ElementsAre(4));
}

TEST(OriginsTest, DefaultIsEveryOriginFromEightyPercentOn) {
  EXPECT_THAT(*Origins(20, {.horizon = 2}), ElementsAre(16, 17, 18));
}

TEST(OriginsTest, StrideAndWindowsBound) {
  EXPECT_THAT(*Origins(100, {.horizon = 1, .start = 10, .stride = 30, .windows = 2}), ElementsAre(10, 40));
}

TEST(OriginsTest, WindowsWithoutAStrideSpreadOverTheRows) {
  EXPECT_THAT(*Origins(100, {.horizon = 10, .start = 10, .windows = 5}), ElementsAre(10, 30, 50, 70, 90));
}

TEST(OriginsTest, NoRoomForAWindowIsAnError) {
  EXPECT_THAT(std::string(Origins(10, {.horizon = 5, .start = 6}).status().message()),
              HasSubstr("10 rows leave no room"));
  EXPECT_FALSE(Origins(10, {.horizon = 5, .start = 0}).ok());
  EXPECT_FALSE(Origins(10, {.horizon = 5, .start = -20}).ok());
  EXPECT_FALSE(Origins(10, {.horizon = 5, .start = INT64_MAX}).ok());
  EXPECT_FALSE(Origins(10, {.horizon = 5, .start = INT64_MIN}).ok());
}

TEST(OriginsTest, StrideBeyondTheRowsLeavesOneOrigin) {
  EXPECT_THAT(*Origins(100, {.horizon = 1, .start = 10, .stride = INT64_MAX}), ElementsAre(10));
}

// The fake server's forecasts of token s are [sum of values 0 .. s, s]. The surprise is the token's value, cut to 0 ..
// 1, and NaN where token s - 1 had no forecast.
class EvaluateTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::vector<SeriesScores>> Score(const std::vector<EvaluatedSeries>& series,
                                                  std::optional<uint64_t> age = {}) {
    return Evaluate(series, {.server = {.target = server_.target()}, .horizon = 2, .season = 1, .age = age}, interrupt_,
                    [](size_t) {});
  }

  Interrupt interrupt_;
  FakeServer server_{{.surprises = true}};
};

TEST_F(EvaluateTest, ForecastOfAnOriginHasSeenTheRowsBeforeItOnly) {
  // At origin 3 the forecast is [1 + 2 + 4, 2]; the actual values are [7, 5].
  const auto scores = Score({{"a", {1, 2, 4, 7, 5}, {3}}});
  ASSERT_TRUE(scores.ok()) << scores.status();
  EXPECT_EQ((*scores)[0].forecast.mase(), (0 + 3) / 2.0 / 1.5);  // mean |difference| before is 1.5
  EXPECT_EQ((*scores)[0].last_value.mase(), (3 + 1) / 2.0 / 1.5);
}

TEST_F(EvaluateTest, EveryOriginIsScoredOnce) {
  std::vector<double> values;
  std::vector<size_t> origins;
  for (int i = 0; i < 3000; ++i) values.push_back(i % 7);
  for (size_t origin = 1000; origin < 1100; ++origin) origins.push_back(origin);
  for (size_t origin = 1100; origin < 2900; origin += 61) origins.push_back(origin);
  const auto scores = Score({{"a", values, origins}, {"b", values, origins}});
  ASSERT_TRUE(scores.ok()) << scores.status();
  EXPECT_EQ((*scores)[0].forecast.windows(), origins.size());
  EXPECT_EQ((*scores)[1].forecast.mase(), (*scores)[0].forecast.mase());
}

TEST_F(EvaluateTest, BrokenStreamsDoNotChangeTheScores) {
  std::vector<double> values;
  std::vector<size_t> origins;
  for (int i = 0; i < 2000; ++i) values.push_back(std::sin(i));
  for (size_t origin = 500; origin < 1990; origin += 10) origins.push_back(origin);
  const auto whole = Score({{"a", values, origins}});
  server_.CutAt({2, 3, 5, 8});
  const auto cut = Score({{"a", values, origins}});
  ASSERT_TRUE(whole.ok() && cut.ok()) << cut.status();
  EXPECT_EQ((*cut)[0].forecast.windows(), origins.size());
  EXPECT_EQ((*cut)[0].forecast.wql(), (*whole)[0].forecast.wql());
}

TEST_F(EvaluateTest, SessionOfAnAgeHasSeenSoManyRowsOnly) {
  const std::vector<EvaluatedSeries> series = {{"a", {1, 2, 4, 7, 5, 3}, {3, 4}, {3, 4}}};
  const auto scores = Score(series, 2);
  ASSERT_TRUE(scores.ok()) << scores.status();
  const SeriesScores& a = (*scores)[0];
  ASSERT_EQ(a.samples.size(), 2u);
  EXPECT_THAT(a.samples[0].quantiles, ElementsAre(2 + 4, 1));  // the sum of the seen values, and the last seq
  EXPECT_THAT(a.samples[1].quantiles, ElementsAre(4 + 7, 1));
  EXPECT_EQ(a.windows[1].origin, 4u);
  EXPECT_EQ(a.windows[1].age, 2u);
  EXPECT_EQ(a.windows[0].last_value.mase, (3 + 1) / 2.0 / 1.5);  // scored against all rows before, as ever
}

TEST_F(EvaluateTest, AgeBeyondTheFirstOriginNamesBoth) {
  const auto scores = Score({{"a", {1, 2, 4, 7, 5}, {3}}}, 4);
  EXPECT_THAT(std::string(scores.status().message()), HasSubstr("a: the first origin, at row 3, has no session of 4"));
}

TEST_F(EvaluateTest, SurpriseIsThatOfTheRowAfterEachOrigin) {
  const auto scores = Score({{"a", {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, {2, 5, 6}}});
  ASSERT_TRUE(scores.ok()) << scores.status();
  EXPECT_THAT((*scores)[0].surprises, ElementsAre(0.2f, 0.5f, 0.6f));
  EXPECT_EQ((*scores)[0].windows.size(), 3u);
}

TEST_F(EvaluateTest, SurpriseOfAMissingValueIsMissing) {
  const auto scores = Score({{"a", {0, 0.1, std::nan(""), 0.3, 0.4}, {1, 2}}});
  ASSERT_TRUE(scores.ok()) << scores.status();
  EXPECT_THAT((*scores)[0].surprises, ElementsAre(0.1f, IsNan()));
}

TEST_F(EvaluateTest, EverySessionOfAnAgeHasASurprise) {
  const auto scores = Score({{"a", {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, {2, 3, 5}}}, 2);
  ASSERT_TRUE(scores.ok()) << scores.status();
  EXPECT_THAT((*scores)[0].surprises, ElementsAre(0.2f, 0.3f, 0.5f));
}

TEST_F(EvaluateTest, MeanRowAveragesKsAndPoolsAlerts) {
  // KS: 0.998 for the one surprise of a, and 0.5 for 0.5 and 0.75 of b; one of three values is an alert.
  const std::vector<EvaluatedSeries> series = {{"a", {0, 0.998, 1, 0}, {1}}, {"b", {0, 0.5, 0.75, 0}, {1, 2}}};
  const auto scores = Score(series);
  ASSERT_TRUE(scores.ok()) << scores.status();
  const SurpriseScore mean = ScoreRows(series, *scores).back().surprise;
  EXPECT_NEAR(mean.ks, (0.998 + 0.5) / 2, 1e-7);
  EXPECT_DOUBLE_EQ(mean.alerts, 1.0 / 3);
  EXPECT_EQ(mean.values, 3u);
}

TEST_F(EvaluateTest, SampledForecastsAreKept) {
  const auto scores = Score({{"a", {1, 2, 4, 7, 5}, {2, 3}, {3}}});
  ASSERT_TRUE(scores.ok()) << scores.status();
  ASSERT_EQ((*scores)[0].samples.size(), 1u);
  EXPECT_EQ((*scores)[0].samples[0].origin, 3u);
  EXPECT_THAT((*scores)[0].samples[0].quantiles, ElementsAre(7, 2));
}

TEST_F(EvaluateTest, OneWindowRowAveragesTheWqlOfTheWindows) {
  const std::vector<EvaluatedSeries> series = {{"a", {1, 2, 4, 7, 5}, {2, 3}}, {"b", {1, 3, 1, 3, 1}, {2, 3}}};
  const auto scores = Score(series);
  ASSERT_TRUE(scores.ok()) << scores.status();
  const std::vector<ScoreRow> rows = ScoreRows(series, *scores);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[2].series, "one window");
  EXPECT_EQ(rows[2].windows, 2u);
  EXPECT_EQ(rows[2].last_value.mase, rows[3].last_value.mase);
  // Errors of the last value: 2 + 5 of 11 and 2 + 0 of 4; then 3 + 1 of 12 and 2 + 0 of 4.
  EXPECT_DOUBLE_EQ(rows[2].last_value.wql, (9.0 / 15 + 6.0 / 16) / 2);
  EXPECT_DOUBLE_EQ(rows[3].last_value.wql, 15.0 / 31);
}

TEST_F(EvaluateTest, RefusalNamesTheSeries) {
  server_.FailNextOpen(3, "no such horizon", 0);
  const auto scores = Score({{"a.csv:load", {1, 2, 3, 4}, {2}}});
  EXPECT_THAT(std::string(scores.status().message()), HasSubstr("evaluate a.csv:load"));
  EXPECT_THAT(std::string(scores.status().message()), HasSubstr("no such horizon (INVALID_ARGUMENT)"));
}

TEST_F(EvaluateTest, MeanRowPoolsWqlAndAveragesMaseOverTheSeriesThatHaveOne) {
  const std::vector<EvaluatedSeries> series = {{"a", {1, 2, 4, 7, 5}, {3}}, {"flat", {1, 1, 1, 1, 1}, {3}}};
  const auto scores = Score(series);
  ASSERT_TRUE(scores.ok()) << scores.status();
  const std::vector<ScoreRow> rows = ScoreRows(series, *scores);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(std::isnan(rows[1].forecast.mase));
  EXPECT_EQ(rows[2].forecast.mase, rows[0].forecast.mase);
  EXPECT_EQ(rows[2].last_value.wql, 4.0 / 14);  // |7 - 4| + |5 - 4| over 7 + 5 + 1 + 1
  EXPECT_EQ(rows[2].windows, 2u);
}

TEST(ScoreReportTest, JsonLinesHaveTheKeysInOrder) {
  const double none = std::nan("");
  const std::vector<ScoreRow> rows = {
      {"a", {0.5, 0.25, none}, {1, 2, none}, {3, 4, none}, {5, 6, none}, 7, {0.5, none}, {0.25, 0.0625, 16}}};
  EXPECT_EQ(ToJsonLines(rows),
            R"({"series":"a","mase":0.5,"wql":0.25,"sql":null,"coverage80":null,)"
            R"("last_value":{"mase":1,"wql":2,"sql":null},)"
            R"("seasonal_naive":{"mase":3,"wql":4,"sql":null},"drift":{"mase":5,"wql":6,"sql":null},"windows":7,)"
            R"("coverage80_by_step":[0.5,null],"surprise":{"ks":0.25,"alerts_at_1_percent":0.0625,"values":16}})"
            "\n");
}

TEST_F(EvaluateTest, CovariatesComeWithTheirRowsUpToTheHorizon) {
  // A past covariate of 10 times the value, and a known one of 100, 200, ...; the fake server adds covariates to its
  // sum, and what is known of both steps ahead to its second number.
  KnownCovariates covariates{.count = {.past = 1, .future = 1}};
  std::vector<EvaluatedSeries> series = {{"a", {1, 2, 4, 7, 5}, {3}, {3}}};
  for (size_t row = 0; row < 5; ++row) {
    covariates.rows.push_back(static_cast<float>(10 * series[0].values[row]));
    covariates.rows.push_back(static_cast<float>(100 * (row + 1)));
  }
  series[0].covariates = std::make_shared<KnownCovariates>(covariates);
  const auto with = Score(series);
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_THAT((*with)[0].samples[0].quantiles, ElementsAre(11 * (1 + 2 + 4) + 600, 2 + 400 + 500));
  const auto without =
      Evaluate(series, {.server = {.target = server_.target()}, .horizon = 2, .season = 1, .covariates = false},
               interrupt_, [](size_t) {});
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_THAT((*without)[0].samples[0].quantiles, ElementsAre(1 + 2 + 4, 2));
}

TEST_F(EvaluateTest, AskedLevelsAreScoredByThemselves) {
  // At origin 3 the forecast's median is [1 + 2 + 4, 2]; the fake server adds level - 0.5 for other levels.
  const std::vector<EvaluatedSeries> series = {{"a", {1, 2, 4, 7, 5}, {3}}};
  const auto scores = Evaluate(
      series, {.server = {.target = server_.target()}, .horizon = 2, .season = 1, .levels = {0.025f, 0.5f, 0.975f}},
      interrupt_, [](size_t) {});
  ASSERT_TRUE(scores.ok()) << scores.status();
  const std::vector<ScoreRow> rows = ScoreRows(series, *scores);
  EXPECT_NEAR(rows.back().interval, 0.95, 1e-6);
  EXPECT_EQ(rows.back().forecast.coverage, 0.5);  // 7 in 7 +- 0.475, and 5 not in 2 +- 0.475
  EXPECT_THAT(ToTable(rows), HasSubstr("in 95 %"));
  EXPECT_THAT(ToJsonLines(rows, /*levels=*/true), HasSubstr(R"("coverage95":0.5)"));
  EXPECT_THAT(ToJsonLines(rows, /*levels=*/true), HasSubstr(R"("0.975":{"wql":)"));
  EXPECT_THAT(ToLevelTable(rows), HasSubstr("   0.975 "));
}

TEST(ScoreReportTest, JsonLineOfOneWindowHasNoCalibration) {
  const std::vector<ScoreRow> rows = {{.series = "one window", .windows = 2}};
  EXPECT_THAT(ToJsonLines(rows), HasSubstr(R"("windows":2})"));
}

// The first step is always inside, later steps never.
ScoreRow Calibrated(const std::string& series, size_t horizon) {
  ScoreRow row{.series = series, .windows = 1, .coverage_by_step = std::vector<double>(horizon, 0)};
  row.coverage_by_step[0] = 1;
  row.surprise = {0.25, 0.5, 4};
  return row;
}

TEST(ScoreReportTest, CalibrationShowsTheStepsThatWereForecast) {
  EXPECT_THAT(CalibrationNames(Calibrated("a", 11)), ElementsAre("1 ahead", "KS", "alerts", "values"));
  EXPECT_THAT(CalibrationNames(Calibrated("a", 24)),
              ElementsAre("1 ahead", "12 ahead", "24 ahead", "KS", "alerts", "values"));
  EXPECT_THAT(CalibrationCells(Calibrated("a", 12)), ElementsAre("1.0000", "0.0000", "0.2500", "0.5000", "4"));
}

TEST(ScoreReportTest, CalibrationTableHasOneWidthAndNoLineForOneWindow) {
  for (size_t horizon : {1, 12, 24, 48}) {
    const std::string table = ToCalibrationTable(
        {Calibrated("the first", horizon), {.series = "one window", .windows = 1}, Calibrated("mean", horizon)});
    const std::vector<std::string> lines = absl::StrSplit(absl::StripSuffix(table, "\n"), '\n');
    ASSERT_EQ(lines.size(), 4u) << table;
    for (const std::string& line : lines) EXPECT_EQ(line.size(), lines[0].size()) << table;
    EXPECT_EQ(lines[3].substr(0, 4), "mean");
  }
}

TEST(ScoreReportTest, CovariateTableTellsTheChange) {
  std::vector<ScoreRow> rows = {{.series = "a", .forecast = {0.5, 0.25, 0.8}, .windows = 1}};
  rows[0].without_covariates = ScoreLine{1, 0.2, 0.8};
  EXPECT_EQ(ToCovariateTable(rows),
            "covariates      MASE   without    change       WQL   without    change\n"
            "a             0.5000    1.0000   -50.0 %    0.2500    0.2000   +25.0 %\n");
  EXPECT_THAT(ToJsonLines(rows), HasSubstr(R"("without_covariates":{"mase":1,"wql":0.2,"sql":null})"));
}

TEST(ScoreReportTest, TableHasALinePerSeriesBelowTwoOfHeader) {
  const std::vector<ScoreRow> rows = {{"a", {0.5, 0.25, 0.8}, {1, 2, 0}, {3, 4, 0}, {5, 6, 0}, 7}};
  const std::string table = ToTable(rows);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
  EXPECT_THAT(table, HasSubstr("0.5000   0.2500   0.8000"));
}

}  // namespace
}  // namespace aaren::cli
