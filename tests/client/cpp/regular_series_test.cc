// The policy with values: rows in, rows of the grid out. No server is asked.

#include "aaren/client/regular_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"

namespace aaren::client {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kMinute = 60'000'000'000;
constexpr int64_t kHour = 60 * kMinute;
constexpr double kGap = -1;  // stands for a missing value below

RegularOptions Hourly() { return {.step = *TimeStep::Parse("1h")}; }

class Rows {
 public:
  explicit Rows(const RegularOptions& options) : series_(1, options) {}

  RegularSeries& series() { return series_; }
  Placed Add(int64_t time_ns, double value) {
    const Placed placed = series_.Add(time_ns, {value});
    Take();
    return placed;
  }
  void Add(const std::vector<std::pair<int64_t, double>>& rows) {
    for (const auto& [time_ns, value] : rows) Add(time_ns, value);
  }
  const std::vector<double>& End() {
    series_.End();
    Take();
    return values;
  }

  std::vector<double> values;
  std::vector<int64_t> times;

 private:
  void Take() {
    for (RegularRow row; series_.Next(row);) {
      values.push_back(std::isnan(row.values[0]) ? kGap : row.values[0]);
      times.push_back(row.time_ns);
    }
  }

  RegularSeries series_;
};

TEST(RegularSeriesTest, RegularRowsPassAsTheyAre) {
  Rows rows(Hourly());
  rows.Add({{kHour, 1}, {2 * kHour, 2}, {3 * kHour, 3}});
  EXPECT_THAT(rows.End(), ElementsAre(1, 2, 3));
  EXPECT_THAT(rows.times, ElementsAre(kHour, 2 * kHour, 3 * kHour));
}

TEST(RegularSeriesTest, StepsWithoutARowAreMissingValues) {
  Rows rows(Hourly());
  rows.Add({{0, 1}, {3 * kHour, 4}});
  EXPECT_THAT(rows.End(), ElementsAre(1, kGap, kGap, 4));
  EXPECT_EQ(rows.series().counts().filled, 2u);
  EXPECT_EQ(rows.times[2], 2 * kHour);
}

TEST(RegularSeriesTest, RowsOfOneStepAreJoined) {
  const std::vector<std::pair<Aggregate, double>> joined = {{Aggregate::kFirst, 3},
                                                            {Aggregate::kLast, 4},
                                                            {Aggregate::kMean, 4},
                                                            {Aggregate::kSum, 12},
                                                            {Aggregate::kMax, 5}};
  for (const auto& [aggregate, value] : joined) {
    RegularOptions options = Hourly();
    options.aggregate = aggregate;
    Rows rows(options);
    rows.Add({{0, 3}, {0, 5}, {0, NAN}, {0, 4}, {kHour, 7}});
    EXPECT_THAT(rows.End(), ElementsAre(value, 7));
    EXPECT_EQ(rows.series().counts().joined, 3u);
  }
}

TEST(RegularSeriesTest, ValuesOfOneStepComplementEachOther) {
  RegularSeries series(2, Hourly());
  series.Add(0, {1, NAN});
  series.Add(0, {NAN, 2});
  series.End();
  RegularRow row;
  ASSERT_TRUE(series.Next(row));
  EXPECT_THAT(row.values, ElementsAre(1, 2));
}

TEST(RegularSeriesTest, CovariatesAreAveragedWhereValuesAreAddedUp) {
  RegularOptions options = Hourly();
  options.aggregate = Aggregate::kSum;
  options.covariates = 1;
  RegularSeries series(2, options);
  series.Add(0, {1, 20});
  series.Add(kMinute, {2, 22});
  series.Add(2 * kHour, {5, 30});
  series.End();
  RegularRow rows[3];
  for (RegularRow& row : rows) ASSERT_TRUE(series.Next(row));
  EXPECT_THAT(rows[0].values, ElementsAre(3, 21));
  EXPECT_TRUE(std::isnan(rows[1].values[1]));
  EXPECT_THAT(rows[2].values, ElementsAre(5, 30));
}

TEST(RegularSeriesTest, LateRowBringsItsCovariates) {
  RegularOptions options = Hourly();
  options.late_steps = 2;
  options.covariates = 1;
  RegularSeries series(2, options);
  for (const int64_t hour : {0, 2, 1}) series.Add(hour * kHour, {1.0, 10.0 * static_cast<double>(hour)});
  series.End();
  RegularRow row;
  for (const double covariate : {0, 10, 20}) {
    ASSERT_TRUE(series.Next(row));
    EXPECT_EQ(row.values[1], covariate);
  }
}

TEST(RegularSeriesTest, RowsWithinAStepAreJoinedUnderItsBeginning) {
  RegularOptions options = Hourly();
  options.within_step = true;
  options.aggregate = Aggregate::kMean;
  Rows rows(options);
  for (int i = 0; i < 12; ++i) rows.Add(kHour + 10 * i * kMinute, i);
  EXPECT_THAT(rows.End(), ElementsAre(2.5, 8.5));
  EXPECT_THAT(rows.times, ElementsAre(kHour, 2 * kHour));
}

TEST(RegularSeriesTest, AtOnceARowPassesWithoutWaiting) {
  RegularOptions options = Hourly();
  options.at_once = true;
  Rows rows(options);
  rows.Add(0, 1);
  EXPECT_THAT(rows.values, ElementsAre(1));
  EXPECT_EQ(rows.Add(0, 2), Placed::kRepeated);
  EXPECT_EQ(rows.Add(2 * kHour, 3), Placed::kTaken);
  EXPECT_EQ(rows.Add(kHour, 4), Placed::kLate);
  EXPECT_THAT(rows.values, ElementsAre(1, kGap, 3));
}

TEST(RegularSeriesTest, LateRowIsPutInItsPlaceWhileItsStepWaits) {
  RegularOptions options = Hourly();
  options.late_steps = 2;
  Rows rows(options);
  rows.Add({{0, 1}, {2 * kHour, 3}, {kHour, 2}, {3 * kHour, 4}, {4 * kHour, 5}, {5 * kHour, 6}});
  EXPECT_EQ(rows.Add(kHour, 9), Placed::kLate);
  EXPECT_THAT(rows.End(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(rows.series().counts().late, 1u);
}

TEST(RegularSeriesTest, JitterAndDriftOfAClockLeaveNoGaps) {
  std::mt19937 random(3);
  Rows rows({.step = *TimeStep::Parse("1m")});
  for (int i = 0; i < 5000; ++i) {  // 0.1 % slow, and up to 12 s late
    rows.Add(i * (kMinute + kMinute / 1000) + static_cast<int64_t>(random() % 12'000) * 1'000'000, i);
  }
  EXPECT_EQ(rows.End().size(), 5000u);
  EXPECT_EQ(rows.series().counts().filled, 0u);
}

TEST(RegularSeriesTest, WaitingForLateRowsFollowsTheClockOnce) {
  std::mt19937 random(3);
  RegularOptions options = Hourly();
  options.late_steps = 100;
  Rows rows(options);
  for (int i = 0; i < 3000; ++i) rows.Add(i * (kHour + kHour / 5000) + (random() % 600) * kMinute / 60, i);
  EXPECT_EQ(rows.End().size(), 3000u);
  EXPECT_EQ(rows.series().counts().filled, 0u);
  EXPECT_EQ(rows.series().counts().joined, 0u);
}

TEST(RegularSeriesTest, OneRowFarAheadIsLeftOut) {
  Rows rows(Hourly());
  rows.Add({{0, 1}, {kHour, 2}});
  EXPECT_EQ(rows.Add(1'000'000 * kHour, 99), Placed::kHeld);
  rows.Add({{2 * kHour, 3}});
  EXPECT_THAT(rows.End(), ElementsAre(1, 2, 3));
  EXPECT_EQ(rows.series().counts().odd, 1u);
}

TEST(RegularSeriesTest, ClockThatWasSetRightIsFollowedWithoutFilling) {
  Rows rows(Hourly());
  rows.Add({{0, 1}, {kHour, 2}, {1'000'000 * kHour, 3}, {1'000'001 * kHour, 4}});
  EXPECT_THAT(rows.End(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(rows.series().counts().long_gaps, 1u);
}

int64_t Local(int month, int day, int hour, int minute) {
  return absl::ToUnixNanos(absl::FromCivil(absl::CivilMinute(2024, month, day, hour, minute), absl::UTCTimeZone()));
}

TEST(RegularSeriesTest, EndOfSummerTimeLosesNoRow) {
  for (const int step : {15, 30, 60}) {
    Rows rows({.step = {TimeStep::Unit::kNanoseconds, step * kMinute}, .local_times = true});
    std::vector<double> wanted;
    int i = 0;
    for (int minute = 0; minute < 6 * 60; minute += step) {  // 00:00 .. 02:59, 02:00 .. 04:59 on 27 October
      const int shown = minute < 180 ? minute : minute - 60;
      rows.Add(Local(10, 27, shown / 60, shown % 60), i);
      wanted.push_back(i++);
    }
    EXPECT_EQ(rows.End(), wanted) << step;
    EXPECT_EQ(rows.series().counts().clock_changes, 1u);
    EXPECT_TRUE(std::is_sorted(rows.times.begin(), rows.times.end()));
  }
}

TEST(RegularSeriesTest, BeginningOfSummerTimeIsNoGap) {
  Rows rows({.step = *TimeStep::Parse("30m"), .local_times = true});
  rows.Add({{Local(3, 31, 1, 0), 1}, {Local(3, 31, 1, 30), 2}, {Local(3, 31, 3, 0), 3}, {Local(3, 31, 3, 30), 4}});
  EXPECT_THAT(rows.End(), ElementsAre(1, 2, 3, 4));
}

// The clock changes once a night, so further repeats are rows of one step.
TEST(RegularSeriesTest, SummerTimeEndsOnceANight) {
  Rows rows({.step = *TimeStep::Parse("1h"), .local_times = true});
  for (int hour = 0; hour < 6; ++hour) {
    for (const double half : {0.0, 0.5}) rows.Add(Local(10, 27, hour, 0), hour + half);
  }
  EXPECT_THAT(rows.End(), ElementsAre(0, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5));
  EXPECT_EQ(rows.series().counts().clock_changes, 1u);
}

TEST(RegularSeriesTest, RepeatsWithinAStepAreNoEndOfSummerTime) {
  Rows rows({.step = *TimeStep::Parse("1h"), .within_step = true, .local_times = true});
  rows.Add({{Local(10, 27, 1, 0), 1}, {Local(10, 27, 1, 30), 2}, {Local(10, 27, 1, 30), 3}, {Local(10, 27, 2, 0), 4}});
  EXPECT_THAT(rows.End(), ElementsAre(3, 4));
}

// Steps that still wait for late rows when the clock changes keep their times.
TEST(RegularSeriesTest, WaitingStepsKeepTheirTimesWhenSummerTimeEnds) {
  Rows rows({.step = *TimeStep::Parse("1h"), .late_steps = 100, .local_times = true});
  const std::vector<int64_t> times = {Local(10, 27, 1, 0), Local(10, 27, 2, 0), Local(10, 27, 2, 0),
                                      Local(10, 27, 3, 0), Local(10, 27, 4, 0), Local(10, 27, 5, 0)};
  for (const int64_t time : times) rows.Add(time, 1);
  rows.End();
  EXPECT_EQ(rows.times, times);
}

TEST(RegularSeriesTest, WaitingStepsKeepTheirTimesWhenSummerTimeBegins) {
  Rows rows({.step = *TimeStep::Parse("1h"), .late_steps = 100, .local_times = true});
  const std::vector<int64_t> times = {Local(3, 31, 0, 0), Local(3, 31, 1, 0), Local(3, 31, 3, 0), Local(3, 31, 4, 0)};
  for (const int64_t time : times) rows.Add(time, 1);
  rows.End();
  EXPECT_EQ(rows.times, times);
}

TEST(RegularSeriesTest, LateRowFromBeforeAChangeOfClocksIsPutInItsPlace) {
  for (const auto& [month, day, after] : {std::tuple(10, 27, 1), std::tuple(3, 31, 3)}) {
    Rows rows({.step = *TimeStep::Parse("1h"), .late_steps = 10, .local_times = true});
    rows.Add({{Local(month, day - 1, 21, 0), 0}, {Local(month, day - 1, 23, 0), 2}, {Local(month, day, 0, 0), 3}});
    rows.Add({{Local(month, day, 1, 0), 4}, {Local(month, day, after, 0), 5}, {Local(month, day - 1, 22, 0), 1}});
    EXPECT_THAT(rows.End(), ElementsAre(0, 1, 2, 3, 4, 5)) << month;
    EXPECT_EQ(rows.times[1], Local(month, day - 1, 22, 0));
    EXPECT_EQ(rows.times[5], Local(month, day, after, 0));
  }
}

TEST(RegularSeriesTest, RepeatedHourOfAnyOtherNightIsNoEndOfSummerTime) {
  Rows rows({.step = *TimeStep::Parse("1h"), .local_times = true});
  rows.Add({{Local(6, 2, 1, 0), 1}, {Local(6, 2, 2, 0), 2}, {Local(6, 2, 2, 0), 2}, {Local(6, 2, 3, 0), 3}});
  EXPECT_THAT(rows.End(), ElementsAre(1, 2, 3));
}

TEST(RegularSeriesTest, MonthsAndWeekdaysFollowTheCalendar) {
  Rows months({.step = *TimeStep::Parse("1mo")});
  months.Add({{Local(1, 31, 0, 0), 1}, {Local(2, 29, 0, 0), 2}, {Local(4, 30, 0, 0), 4}});
  EXPECT_THAT(months.End(), ElementsAre(1, 2, kGap, 4));
  EXPECT_EQ(months.times[2], Local(3, 31, 0, 0));
  Rows weekdays({.step = *TimeStep::Parse("weekday")});
  weekdays.Add({{Local(1, 4, 0, 0), 4}, {Local(1, 5, 0, 0), 5}, {Local(1, 8, 0, 0), 8}, {Local(1, 10, 0, 0), 10}});
  EXPECT_THAT(weekdays.End(), ElementsAre(4, 5, 8, kGap, 10));
}

TEST(RegularSeriesTest, WithoutAStepEveryRowThatDoesNotGoBackPasses) {
  Rows rows({});
  rows.Add({{5, 1}, {5, 2}, {900, 3}});
  EXPECT_EQ(rows.Add(6, 4), Placed::kLate);
  EXPECT_THAT(rows.End(), ElementsAre(1, 2, 3));
}

// Random gaps, repeats and late rows, stopped behind any row of the grid: what comes behind is the same.
TEST(RegularSeriesTest, GoesOnBehindAnyRowOfTheGrid) {
  std::mt19937 random(11);
  std::vector<std::pair<int64_t, double>> rows;
  int64_t time = 0;
  for (int i = 0; i < 300; ++i) {
    time += kHour * static_cast<int64_t>(random() % 10 == 0 ? random() % 9 : 1);
    rows.push_back({time, i});
  }
  Rows whole(Hourly());
  whole.Add(rows);
  whole.End();
  for (size_t seq = 1; seq < whole.times.size(); seq += 7) {
    Rows rest(Hourly());
    rest.series().GoOnBehind(whole.times[seq - 1]);
    rest.Add(rows);
    EXPECT_EQ(rest.End(), std::vector<double>(whole.values.begin() + static_cast<ptrdiff_t>(seq), whole.values.end()))
        << seq;
  }
}

}  // namespace
}  // namespace aaren::client
