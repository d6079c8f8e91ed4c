#include "model/tasks/forecasting/parts/calendar.h"

#include <gtest/gtest.h>

#include <set>

namespace aaren::forecasting {
namespace {

TEST(CalendarTest, DaysCoverTheSeriesWithoutGapOrOverlap) {
  for (int index = 0; index < 200; ++index) {
    Random random(1, index);
    const int length = 1 + random.Below(5000);
    int next = 0;
    for (const Day& day : RandomCalendar(random, length).days) {
      EXPECT_EQ(day.begin, next);
      ASSERT_GT(day.end, day.begin);
      EXPECT_LE(day.midnight, day.begin);
      next = day.end;
    }
    EXPECT_EQ(next, length) << index;
  }
}

TEST(CalendarTest, WholeDaysHaveTheirStepsButForTheClock) {
  int changes = 0, others = 0;
  for (int index = 0; index < 100; ++index) {
    Random random(1, index);
    const Calendar calendar = RandomCalendar(random, 16384);
    for (size_t i = 1; i + 1 < calendar.days.size(); ++i) {
      const int length = calendar.days[i].end - calendar.days[i].begin;
      const bool clock = 24 * std::abs(length - calendar.steps) == calendar.steps;
      changes += clock;
      others += length != calendar.steps && !clock;
    }
  }
  EXPECT_GT(changes, 0);
  EXPECT_EQ(others, 0);
}

TEST(CalendarTest, StepsReachFromAMinuteToHoursAndFitTheSeriesTwice) {
  std::set<int> steps;
  for (int index = 0; index < 300; ++index) {
    Random random(1, index);
    steps.insert(RandomCalendar(random, 4096).steps);
  }
  EXPECT_EQ(*steps.begin(), 8);
  EXPECT_EQ(*steps.rbegin(), 1440);
  Random random(2, 0);
  for (int i = 0; i < 100; ++i) EXPECT_LE(RandomCalendar(random, 1024).steps, 512);
}

TEST(CalendarTest, WeekdaysFollowEachOtherAndTheYearReturns) {
  Random random(1, 1);
  const Calendar calendar = DailyCalendar(random, 1000);
  ASSERT_EQ(calendar.days.size(), 1000u);
  for (size_t i = 1; i < 1000; ++i) EXPECT_EQ(calendar.days[i].weekday, (calendar.days[i - 1].weekday + 1) % 7);
  EXPECT_NEAR(calendar.days[10].season, calendar.days[10 + 365].season, 0.001);
}

TEST(CalendarTest, HolidayIsLikeASunday) {
  EXPECT_EQ(KindOf({.weekday = 2}), 0);
  EXPECT_EQ(KindOf({.weekday = 5}), 1);
  EXPECT_EQ(KindOf({.weekday = 6}), 2);
  EXPECT_EQ(KindOf({.weekday = 2, .holiday = true}), 2);
}

}  // namespace
}  // namespace aaren::forecasting
