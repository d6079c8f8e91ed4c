#include "model/tasks/forecasting/parts/calendar.h"

#include <algorithm>
#include <cmath>

namespace aaren::forecasting {
namespace {

constexpr double kYear = 365.25;  // days

int RandomSteps(Random& random, int length, int fewest) {
  const double drawn = random.OneOf({24, 24, 24, 24, 24, 48, 48, 96, 96, 144, 144, 288, 288, 1440, 72, 12, 8});
  const int steps = std::max(fewest, static_cast<int>(drawn));
  // A series has two days where the length allows (calendar.h), and is hourly otherwise.
  return 2 * steps <= length ? steps : std::max(fewest, 24);
}

// The days off, apart from week-ends.
struct Holidays {
  double rate = 0;              // rate of single days
  double begin = 0, share = 0;  // one break, as parts of the year
  bool Draw(Random& random, double season) const {
    const double since = season - begin - std::floor(season - begin);
    return random.Chance(rate) || since < share;
  }
};

Holidays RandomHolidays(Random& random) {
  Holidays holidays;
  if (random.Chance(0.6)) holidays.rate = random.Uniform(2, 14) / kYear;
  if (random.Chance(0.3)) {
    holidays.begin = random.Uniform();
    holidays.share = random.Uniform(4, 25) / kYear;
  }
  return holidays;
}

// The days of `length` values. Two days a year, half a year apart, have `clock` values fewer and more.
Calendar Days(Random& random, int length, int steps, int clock) {
  Calendar calendar = {.steps = steps, .days = {}};
  calendar.days.reserve(length / steps + 2);
  const Holidays holidays = RandomHolidays(random);
  const double start = random.Uniform() * kYear, spring = random.Uniform() * kYear;
  const int weekday = random.Below(7);
  int midnight = -random.Below(steps);
  for (int number = 0; midnight < length; ++number) {
    const double date = start + number;
    Day day = {.weekday = (weekday + number) % 7, .season = date / kYear - std::floor(date / kYear)};
    day.holiday = holidays.Draw(random, day.season);
    day.midnight = midnight;
    day.begin = std::max(0, midnight);
    // True on the day in which `when` falls, in any year.
    const auto passes = [&](double when) {
      return std::floor((date + 1 - when) / kYear) > std::floor((date - when) / kYear);
    };
    midnight += steps - (passes(spring) ? clock : 0) + (passes(spring + kYear / 2) ? clock : 0);
    day.end = std::min(length, midnight);
    calendar.days.push_back(day);
  }
  return calendar;
}

}  // namespace

Calendar RandomCalendar(Random& random, int length, int fewest_steps) {
  const int steps = RandomSteps(random, length, fewest_steps);
  // The clock changes by an hour of steps / 24 values; fewer than 24 values a day cannot show an hour.
  const int clock = steps >= 24 && random.Chance(0.15) ? steps / 24 : 0;
  return Days(random, length, steps, clock);
}

Calendar DailyCalendar(Random& random, int length) { return Days(random, length, 1, 0); }

int KindOf(const Day& day) { return day.holiday || day.weekday == 6 ? 2 : day.weekday == 5 ? 1 : 0; }

}  // namespace aaren::forecasting
