#ifndef AAREN_MODEL_TASKS_FORECASTING_PARTS_CALENDAR_H_
#define AAREN_MODEL_TASKS_FORECASTING_PARTS_CALENDAR_H_

// A Calendar says which day, and which part of it, each value of a series belongs to. It has 1 to 1,440 values a day,
// weeks of seven days, a year with holidays, and in some two days a year that are an hour shorter or longer. Families
// are drawn day by day.
//
// Threading: plain values.

#include <vector>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

struct Day {
  int weekday = 0;         // 0 .. 6; 5 and 6 are the week-end
  bool holiday = false;    // one day, or one of a break's
  double season = 0;       // phase of the year, [0, 1); 0.5 is half a year after 0
  int midnight = 0;        // the value at which it begins; negative if the series begins later in the day
  int begin = 0, end = 0;  // its values in the series are begin .. end - 1
};

struct Calendar {
  int steps = 24;  // values a day
  std::vector<Day> days;

  double hour() const { return steps / 24.0; }  // values an hour
};

// A calendar of `length` values with at least `fewest_steps` a day: hourly in a third, from one minute to three hours
// in the others. The series has two days where it can.
Calendar RandomCalendar(Random& random, int length, int fewest_steps = 8);

// One value a day.
Calendar DailyCalendar(Random& random, int length);

// What kind of day it is: 0 for a day of work, 1 for a Saturday, 2 for a Sunday or a holiday.
int KindOf(const Day& day);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_PARTS_CALENDAR_H_
