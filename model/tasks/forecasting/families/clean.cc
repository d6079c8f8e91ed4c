// Seasons with almost exact repetition. A forecaster must copy the values of a season ago.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/tasks/forecasting/families/draws.h"
#include "model/tasks/forecasting/parts/calendar.h"
#include "model/tasks/forecasting/parts/process.h"
#include "model/tasks/forecasting/parts/profile.h"

namespace aaren::forecasting {
namespace {

// The noise, as a share of the profile's range of 1.
double LowNoise(Random& random) { return random.LogUniform(0.002, 0.03); }

// The grid of a sensor that shows 20 to 300 steps of the range; 0 for a sensor that shows every value.
double SensorGrid(Random& random) { return random.Chance(0.3) ? 1 / random.LogUniform(20, 300) : 0; }

double AnyPeriod(Random& random) {
  if (random.Chance(0.4)) return random.OneOf({7, 12, 24, 48, 60, 96, 144, 168, 288});
  const double period = random.LogUniform(4, 700);
  return random.Chance(0.5) ? std::round(period) : period;
}

}  // namespace

Series DrawCleanSeason(Random& random, int length) {
  // At least three periods fit into the series, so the season can be seen to repeat.
  const double period = std::min(AnyPeriod(random), std::max(4.0, length / 3.0));
  const int steps = std::max(4, static_cast<int>(std::lround(std::min(period, 300.0))));
  const Profile profile = RandomProfile(random, steps), later = RandomProfile(random, steps);
  const double change = random.Chance(0.3) ? random.Uniform(0.05, 0.4) : 0;  // share of the other shape, there and back
  const double around = period * random.LogUniform(60, 400);                 // the values over which the shape changes
  const double second = random.Chance(0.3) ? period * random.OneOf({7, 7, 4, 0.25, 0.5, 1.0 / 3}) : 0;
  const double gain = random.Uniform(0.1, 0.6), noise = LowNoise(random), grid = SensorGrid(random);
  const double sway = random.Chance(0.6) ? random.LogUniform(0.01, 0.6) : 0, wave = random.Chance(0.3) ? 0.2 : 0;
  Reverting level(random, 40 * period), amplitude(random, 40 * period), short_noise(random, random.LogUniform(0.2, 8));
  const double start = random.Uniform();
  Series values(length);
  for (int t = 0; t < length; ++t) {
    const double phase = start + t / period;
    double value = Read(profile, phase);
    if (change > 0) {
      const double share = change * (0.5 - 0.5 * std::cos(2 * std::numbers::pi * t / around));
      value += share * (Read(later, phase) - value);
    }
    if (wave > 0) value *= 1 + wave * std::tanh(0.5 * amplitude.Next(random));
    if (second > 0) value += gain * std::sin(2 * std::numbers::pi * (start + t / second));
    if (sway > 0) value += sway * level.Next(random);
    values[t] = OnGrid(value + noise * short_noise.Next(random), grid);
  }
  return values;
}

Series DrawCleanDays(Random& random, int length) {
  const Calendar calendar = RandomCalendar(random, length);
  const Profile work = RandomProfile(random, calendar.steps), other = RandomProfile(random, calendar.steps);
  const bool has_week = random.Chance(0.6);
  const double off = has_week ? random.Uniform(0.2, 0.95) : 1, saturday = random.Uniform(0.7, 1.1);
  const Profile summer = Blend(work, random.Uniform(0.6, 1), other),
                sunday = Blend(work, random.Uniform(0.3, 1), other);
  const double yearly = random.Chance(0.7) ? random.Uniform(0, 0.5) : 0, noise = LowNoise(random);
  const double floor = random.Chance(0.3) ? 0 : random.Uniform(0, 2), grid = SensorGrid(random);
  Reverting mood(random, random.LogUniform(0.5, 10)), short_noise(random, random.LogUniform(0.3, 4) * calendar.hour());
  const double moody = LowNoise(random);
  Series values(length);
  for (const Day& day : calendar.days) {
    const bool free = has_week && KindOf(day) > 0;
    const double warm = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * day.season);
    const double gain = (free ? KindOf(day) == 1 ? saturday * off : off : 1) * (1 + moody * mood.Next(random));
    for (int t = day.begin; t < day.end; ++t) {
      const int step = t - day.midnight;
      double value = free ? At(sunday, step) : At(work, step) + warm * (At(summer, step) - At(work, step));
      value = floor + gain * value + yearly * warm;
      values[t] = OnGrid(value + noise * short_noise.Next(random), grid);
    }
  }
  return values;
}

}  // namespace aaren::forecasting
