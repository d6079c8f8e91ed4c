// Places with people: a car park that fills up, and bicycles in fine weather.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/tasks/forecasting/families/draws.h"
#include "model/tasks/forecasting/parts/calendar.h"
#include "model/tasks/forecasting/parts/process.h"
#include "model/tasks/forecasting/parts/profile.h"

namespace aaren::forecasting {
namespace {

// A demand that saturates at `capacity`: linear below, flat above, with a soft corner.
double Filled(double demand, double capacity) {
  const double share = demand / capacity;
  return capacity * (share < 0.7 ? share : 0.7 + 0.3 * std::tanh((share - 0.7) / 0.3));
}

// The profile of visits: rises until `rise` and falls towards `fall`.
Profile Visits(Random& random, int steps) {
  const double rise = random.Uniform(0.3, 0.46), fall = rise + random.Uniform(0.18, 0.4);
  return Plateau(rise, fall, random.Uniform(0.05, 0.25), steps);
}

}  // namespace

Series DrawParking(Random& random, int length) {
  const Calendar calendar = RandomCalendar(random, length);
  const Profile work = Visits(random, calendar.steps), sunday = Visits(random, calendar.steps);
  const double busy = random.Uniform(0.4, 1.5), weekend = random.LogUniform(0.1, 1.3),
               residents = random.Uniform(0, 0.25);
  std::array<double, 7> weekdays;
  for (double& gain : weekdays) gain = 1 + 0.12 * random.Normal();
  const double capacity = std::round(random.LogUniform(40, 4000)), moody = random.LogUniform(0.02, 0.2);
  const double noise = random.LogUniform(0.003, 0.03), opens = random.Uniform(0.25, 0.33),
               closes = random.Uniform(0.68, 0.97);
  const int closed = random.Chance(0.65) ? random.Chance(0.6) ? 1 : 2 : 0;  // at night: open, empty, not reported
  Reverting mood(random, random.LogUniform(0.3, 8)), late(random, 1);
  Reverting short_noise(random, random.LogUniform(0.5, 3) * calendar.hour());
  const double lateness = random.Uniform(0, 0.5) * calendar.hour();
  Series values(length);
  for (const Day& day : calendar.days) {
    const bool free = KindOf(day) > 0;
    const double gain = busy * weekdays[day.weekday] * (free ? weekend : 1) * (1 + moody * mood.Next(random));
    const int shift = static_cast<int>(std::lround(lateness * late.Next(random)));
    for (int t = day.begin; t < day.end; ++t) {
      const int step = t - day.midnight;
      const double hour = static_cast<double>(step) / calendar.steps;
      if (closed > 0 && (hour < opens || hour > closes)) {
        values[t] = closed == 1 ? 0 : std::numeric_limits<double>::quiet_NaN();
        continue;
      }
      const double shape = At(free ? sunday : work, std::clamp(step + shift, 0, calendar.steps - 1));
      const double demand = std::max(0.0, residents + gain * shape + noise * short_noise.Next(random));
      values[t] = std::round(std::min(capacity, Filled(demand * capacity, capacity)));
    }
  }
  if (std::isnan(values[0])) values[0] = 0;
  return values;
}

Series DrawBicycles(Random& random, int length) {
  const Calendar calendar = RandomCalendar(random, length);
  const double morning = random.Uniform(0.3, 0.37), evening = random.Uniform(0.69, 0.76);
  const Profile work = Peaks({{morning, random.Uniform(0.025, 0.05), random.Uniform(0.4, 1)},
                              {evening, random.Uniform(0.04, 0.07), 1},
                              {0.55, random.Uniform(0.1, 0.16), random.Uniform(0.15, 0.6)}},
                             calendar.steps);
  const Profile sunday = Peaks({{random.Uniform(0.54, 0.64), random.Uniform(0.1, 0.15), 1}}, calendar.steps);
  const double weekend = random.Uniform(0.3, 1.3), yearly = random.Uniform(0.1, 0.8);
  const double most = random.LogUniform(4, 2000) * 24 / calendar.steps + 1, night = random.LogUniform(0.002, 0.03);
  const double fair = random.Uniform(0.1, 0.4), wet = random.Uniform(0.2, 0.7), shape = random.LogUniform(15, 3000);
  Reverting weather(random, random.LogUniform(0.7, 5)), season_noise(random, 30);
  Reverting short_noise(random, random.LogUniform(0.5, 3) * calendar.hour());
  Episode rain{random.Uniform(0.05, 0.5) / calendar.steps, random.LogUniform(1, 14) * calendar.hour()};
  const double uneven = random.Uniform(0.02, 0.25);
  Series values(length);
  for (const Day& day : calendar.days) {
    const bool free = KindOf(day) > 0;
    const double warm = 1 - yearly * (0.5 + 0.5 * std::cos(2 * std::numbers::pi * day.season));
    const double lasting = 0.1 * season_noise.Next(random);
    const double sky = std::exp(fair * weather.Next(random) - 0.5 * fair * fair + lasting);
    const double gain = most * warm * sky * (free ? weekend : 1);
    for (int t = day.begin; t < day.end; ++t) {
      const bool raining = rain.Next(random);
      const double clouds = std::exp(uneven * short_noise.Next(random)) * (raining ? wet : 1);
      const double rate = gain * (night + At(free ? sunday : work, t - day.midnight)) * clouds;
      values[t] = random.NegativeBinomial(rate, shape);
    }
  }
  return values;
}

}  // namespace aaren::forecasting
