#include "aaren/client/time_step.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"

namespace aaren::client {
namespace {

using Unit = TimeStep::Unit;

constexpr int64_t kMinuteNs = 60'000'000'000;
constexpr int64_t kHourNs = 60 * kMinuteNs;
constexpr int64_t kDayNs = 24 * kHourNs;

int64_t At(int year, int month, int day, int hour = 0) {
  return absl::ToUnixNanos(absl::FromCivil(absl::CivilHour(year, month, day, hour), absl::UTCTimeZone()));
}

TEST(TimeStepTest, ReadsTheWaysToSayAStep) {
  EXPECT_EQ(TimeStep::Parse("15m")->count, 15 * kMinuteNs);
  EXPECT_EQ(TimeStep::Parse("1h30m")->count, 90 * kMinuteNs);
  EXPECT_EQ(TimeStep::Parse("1w")->count, 7 * kDayNs);
  EXPECT_EQ(TimeStep::Parse("0.5s")->count, 500'000'000);
  EXPECT_EQ(*TimeStep::Parse("3mo"), (TimeStep{Unit::kMonths, 3}));
  EXPECT_EQ(*TimeStep::Parse("1y"), (TimeStep{Unit::kMonths, 12}));
  EXPECT_EQ(TimeStep::Parse("3660d")->count, 3660 * kDayNs);
  EXPECT_EQ(TimeStep::Parse("weekday")->unit, Unit::kWeekdays);
  EXPECT_EQ(TimeStep::Parse("none")->unit, Unit::kNone);
  for (const char* text :
       {"", "0h", "-1h", "h1", "1 fortnight", "inf", "99999999y", "11y", "121mo", "999999w", "3661d"}) {
    EXPECT_FALSE(TimeStep::Parse(text).ok()) << text;
  }
}

TEST(TimeStepTest, SaysItselfAsItIsRead) {
  for (const char* text : {"10s", "15m", "1h", "1d", "1w", "1mo", "1y", "weekday", "none", "250ms"}) {
    EXPECT_EQ(TimeStep::Parse(text)->ToString(), text);
  }
}

TEST(TimeStepTest, OfNanosecondsHasNoUnitForImpossibleSteps) {
  EXPECT_EQ(TimeStep::OfNanoseconds(kHourNs), (TimeStep{Unit::kNanoseconds, kHourNs}));
  for (const int64_t step : {int64_t{0}, int64_t{-1}, INT64_MAX}) EXPECT_EQ(TimeStep::OfNanoseconds(step), TimeStep());
}

TEST(TimeStepTest, TimesOfDifferentCenturiesAreFarApart) {
  const TimeStep hour{Unit::kNanoseconds, kHourNs};
  EXPECT_GT(hour.Between(INT64_MIN, INT64_MAX, false), 1'000'000);
  EXPECT_LT(hour.Between(INT64_MAX, INT64_MIN, true), -1'000'000);
  EXPECT_EQ(hour.Ahead(INT64_MAX - 1, 1), INT64_MAX);
}

TEST(TimeStepTest, FindsTheStepAcrossGapsAndRepeats) {
  EXPECT_EQ(TimeStep::Find({0, kHourNs, kHourNs, 2 * kHourNs, 9 * kHourNs, 10 * kHourNs, 11 * kHourNs}).count, kHourNs);
  EXPECT_EQ(TimeStep::Find({0, 10 * kMinuteNs}).count, 10 * kMinuteNs);
  EXPECT_EQ(TimeStep::Find({5}).unit, Unit::kNone);
  EXPECT_EQ(TimeStep::Find({5, 5, 5}).unit, Unit::kNone);
}

TEST(TimeStepTest, FindsTheStepOfAClockThatJitters) {
  std::mt19937 random(7);
  std::vector<int64_t> times;
  for (int i = 0; i < 200; ++i) times.push_back(i * kMinuteNs + static_cast<int64_t>(random() % 6000) * 1'000'000);
  EXPECT_EQ(TimeStep::Find(times).count, kMinuteNs);
}

TEST(TimeStepTest, ChanceHasNoStep) {
  std::mt19937 random(7);
  std::vector<int64_t> times = {0};
  for (int i = 0; i < 200; ++i)
    times.push_back(times.back() + static_cast<int64_t>(1 + random() % 100'000) * 1'000'000);
  EXPECT_EQ(TimeStep::Find(times).unit, Unit::kNone);
}

TEST(TimeStepTest, FindsMonthsQuartersAndYears) {
  std::vector<int64_t> first, last, quarters, years;
  for (int i = 0; i < 24; ++i) {
    first.push_back(At(2020 + i / 12, i % 12 + 1, 1));
    last.push_back(At(2020 + (i + 1) / 12, (i + 1) % 12 + 1, 1) - kDayNs);
    if (i % 3 == 0) quarters.push_back(first.back());
    years.push_back(At(1990 + i, 1, 1));
  }
  EXPECT_EQ(TimeStep::Find(first), (TimeStep{Unit::kMonths, 1}));
  EXPECT_EQ(TimeStep::Find(last), (TimeStep{Unit::kMonths, 1}));
  EXPECT_EQ(TimeStep::Find(quarters), (TimeStep{Unit::kMonths, 3}));
  EXPECT_EQ(TimeStep::Find(years), (TimeStep{Unit::kMonths, 12}));
}

TEST(TimeStepTest, FindsWeekdays) {
  std::vector<int64_t> times;
  for (int day = 0; day < 28; ++day) {
    if (day % 7 < 5) times.push_back(At(2024, 1, 1 + day));  // a Monday
  }
  EXPECT_EQ(TimeStep::Find(times).unit, Unit::kWeekdays);
}

TEST(TimeStepTest, CountsStepsToTheNearestOrWithin) {
  const TimeStep hour = *TimeStep::Parse("1h");
  EXPECT_EQ(hour.Between(0, 50 * kMinuteNs, /*within=*/false), 1);
  EXPECT_EQ(hour.Between(0, 50 * kMinuteNs, /*within=*/true), 0);
  EXPECT_EQ(hour.Between(0, -50 * kMinuteNs, /*within=*/true), -1);
  EXPECT_EQ(TimeStep::Parse("1mo")->Between(At(2024, 1, 31), At(2024, 3, 1), false), 2);
  EXPECT_EQ(TimeStep::Parse("weekday")->Between(At(2024, 1, 5), At(2024, 1, 8), false), 1);  // Friday to Monday
}

TEST(TimeStepTest, GoesAheadOnTheCalendar) {
  EXPECT_EQ(TimeStep::Parse("1mo")->Ahead(At(2024, 1, 31), 1), At(2024, 2, 29));
  EXPECT_EQ(TimeStep::Parse("1mo")->Ahead(At(2024, 1, 15, 7), -1), At(2023, 12, 15, 7));
  EXPECT_EQ(TimeStep::Parse("weekday")->Ahead(At(2024, 1, 5, 17), 1), At(2024, 1, 8, 17));
  EXPECT_EQ(TimeStep::Parse("1d")->Begin(At(2024, 1, 5, 17)), At(2024, 1, 5));
}

}  // namespace
}  // namespace aaren::client
