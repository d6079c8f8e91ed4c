// The load that people cause by going to work: traffic and electricity.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "model/tasks/forecasting/families/draws.h"
#include "model/tasks/forecasting/parts/calendar.h"
#include "model/tasks/forecasting/parts/process.h"
#include "model/tasks/forecasting/parts/profile.h"

namespace aaren::forecasting {
namespace {

// Profiles of a workday, a Saturday and a Sunday; the range of the workday is 1.
using Week = std::array<Profile, 3>;

Week RoadWeek(Random& random, int steps) {
  const double morning = random.Uniform(0.28, 0.36), evening = random.Uniform(0.68, 0.78);
  const double middle = random.Uniform(0.3, 0.9), one_way = random.Chance(0.3) ? random.Uniform(0.1, 0.5) : 1;
  const bool outbound = random.Chance(0.5);
  const Profile work = Peaks({{morning, random.Uniform(0.025, 0.07), outbound ? one_way : 1},
                              {evening, random.Uniform(0.03, 0.09), outbound ? 1 : one_way},
                              {0.54, random.Uniform(0.1, 0.17), middle}},
                             steps);
  Profile sunday = Peaks({{random.Uniform(0.52, 0.68), random.Uniform(0.11, 0.18), 1}}, steps);
  const double quiet = random.Uniform(0.4, 0.9);
  for (double& value : sunday) value *= quiet;
  const Profile saturday = Blend(sunday, random.Uniform(0.6, 1), work);
  return {work, saturday, sunday};
}

Week PowerWeek(Random& random, int steps) {
  const double rise = random.Uniform(0.22, 0.34), fall = random.Uniform(0.78, 0.95);
  const Profile busy = Plateau(rise, fall, random.Uniform(0.06, 0.2), steps);
  const Profile home = Peaks({{random.Uniform(0.3, 0.36), random.Uniform(0.03, 0.07), random.Uniform(0.3, 0.9)},
                              {random.Uniform(0.75, 0.86), random.Uniform(0.05, 0.1), 1},
                              {0.5, random.Uniform(0.1, 0.2), random.Uniform(0.2, 0.8)}},
                             steps);
  const Profile work = Blend(busy, random.Uniform(0, 1), home);
  Profile sunday = Blend(home, random.Uniform(0.4, 1), busy);
  const double quiet = random.Uniform(0.3, 0.95);
  for (double& value : sunday) value *= quiet;
  return {work, Blend(work, random.Uniform(0.2, 0.8), sunday), sunday};
}

// Gains of the seven weekdays around 1.
std::array<double, 7> Weekdays(Random& random, double deviation) {
  std::array<double, 7> gains;
  for (double& gain : gains) gain = 1 + deviation * random.Normal();
  return gains;
}

}  // namespace

Series DrawTraffic(Random& random, int length) {
  const Calendar calendar = RandomCalendar(random, length);
  const Week week = RoadWeek(random, calendar.steps);
  const std::array<double, 7> weekdays = Weekdays(random, random.Uniform(0.01, 0.06));
  const bool occupancy = random.Chance(0.35);  // share of a road in use, which jams at the peaks
  const double jam = random.Uniform(2, 6), night = random.LogUniform(0.005, 0.15);
  const double moody = random.LogUniform(0.01, 0.08), noise = random.LogUniform(0.02, 0.2);
  const double jam_noise = random.Uniform(0.1, 0.5), yearly = random.Uniform(0, 0.15);
  const double unit = occupancy ? random.Uniform(0.05, 0.4) : random.LogUniform(30, 8000);
  const double grid = occupancy ? random.OneOf({0, 1e-4, 1e-3}) : random.OneOf({1, 1, 1, 0});
  Reverting mood(random, random.LogUniform(0.5, 12)), jams(random, random.LogUniform(0.3, 6));
  Reverting short_noise(random, random.LogUniform(0.1, 3) * calendar.hour());
  Episode incident{random.LogUniform(0.001, 0.06) / calendar.steps, random.LogUniform(0.5, 6) * calendar.hour()};
  double hindered = 1;
  Series values(length);
  for (const Day& day : calendar.days) {
    const Profile& profile = week[KindOf(day)];
    const double swing = 1 - yearly * std::cos(2 * std::numbers::pi * day.season);
    const double gain = weekdays[day.weekday] * swing * (1 + moody * mood.Next(random));
    const double jammed = std::exp(jam_noise * jams.Next(random));
    for (int t = day.begin; t < day.end; ++t) {
      const double shape = gain * At(profile, t - day.midnight);
      double level = night + shape;
      // A power needs a base that is not negative.
      if (occupancy) level = night + 0.3 * shape + std::min(3.0, jammed * std::pow(std::max(0.0, shape), jam));
      if (incident.Next(random)) level *= incident.begun() ? hindered = random.Uniform(0.2, 1.4) : hindered;
      level += noise * std::sqrt(std::max(0.0, level)) * (0.3 + level) * short_noise.Next(random);
      values[t] = OnGrid(unit * std::max(0.0, level), grid);
    }
  }
  return values;
}

Series DrawElectricity(Random& random, int length) {
  const Calendar calendar = RandomCalendar(random, length);
  const Week week = PowerWeek(random, calendar.steps);
  const std::array<double, 7> weekdays = Weekdays(random, random.Uniform(0.003, 0.03));
  const double base = random.Uniform(0.3, 3), noise = random.LogUniform(0.003, 0.06);
  const double heating = random.Uniform(-0.3, 0.5), cooling = random.Uniform(-0.1, 0.4);
  const double weather = random.LogUniform(0.01, 0.2), moody = random.LogUniform(0.003, 0.05);
  const double growth = random.Normal() * 0.1 / 365, unit = random.LogUniform(0.1, 30000);
  const double grid = unit > 100 && random.Chance(0.4) ? 1 : 0;
  Reverting temperature(random, random.LogUniform(2, 10)), mood(random, random.LogUniform(0.5, 20));
  Reverting short_noise(random, random.LogUniform(0.3, 6) * calendar.hour());
  Series values(length);
  double grown = 1;
  for (const Day& day : calendar.days) {
    const Profile& profile = week[KindOf(day)];
    const double winter = std::cos(2 * std::numbers::pi * day.season);
    const double climate = heating * std::max(0.0, winter) + cooling * std::max(0.0, -winter);
    const double today = climate + weather * temperature.Next(random), before = temperature.now();
    const double gain = weekdays[day.weekday] * (1 + moody * mood.Next(random)), stretch = 1 + 0.3 * climate;
    for (int t = day.begin; t < day.end; ++t) {
      const double shape = gain * stretch * At(profile, t - day.midnight);
      const double warm = today + 0.1 * weather * before * shape;  // load due to the weather, more by day
      values[t] = OnGrid(unit * grown * std::max(0.0, base + shape + warm + noise * short_noise.Next(random)), grid);
    }
    grown *= 1 + growth;
  }
  return values;
}

}  // namespace aaren::forecasting
