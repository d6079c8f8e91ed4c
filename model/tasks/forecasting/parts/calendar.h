#ifndef AAREN_MODEL_TASKS_FORECASTING_PARTS_CALENDAR_H_
#define AAREN_MODEL_TASKS_FORECASTING_PARTS_CALENDAR_H_

// A Calendar assigns each value of a series to a day and a part of the day. A calendar has 1 to 1,440 values a day,
// weeks of seven days, and a year with holidays. Some calendars have two days a year that are an hour shorter or
// longer. Families draw their series day by day.
//
// Threading: plain values.

#include <vector>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

struct Day {
  int weekday = 0;         // 0 .. 6; 5 and 6 are the week-end
  bool holiday = false;    // a single day, or a day of a break
  double season = 0;       // phase of the year, [0, 1); 0.5 is half a year after 0
  int midnight = 0;        // index of the day's first value; negative if the series begins later in the day
  int begin = 0, end = 0;  // the day's values are begin .. end - 1
};

struct Calendar {
  int steps = 24;  // values a day
  std::vector<Day> days;

  double hour() const { return steps / 24.0; }  // values an hour
};

// A calendar of `length` values with at least `fewest_steps` a day: hourly in a third of cases, otherwise from one
// minute to three hours. The series has two days if `length` allows.
Calendar RandomCalendar(Random& random, int length, int fewest_steps = 8);

// A calendar of one value a day.
Calendar DailyCalendar(Random& random, int length);

// The kind of a day: 0 for a working day, 1 for a Saturday, 2 for a Sunday or a holiday.
int KindOf(const Day& day);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_PARTS_CALENDAR_H_
