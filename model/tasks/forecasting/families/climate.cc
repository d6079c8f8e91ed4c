// Temperatures and other weather: humidity, pressure, wind, wind power, pollution, rain.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/tasks/forecasting/families/draws.h"
#include "model/tasks/forecasting/parts/calendar.h"
#include "model/tasks/forecasting/parts/process.h"
#include "model/tasks/forecasting/parts/profile.h"

namespace aaren::forecasting {
namespace {

double Winter(const Day& day) { return std::cos(2 * std::numbers::pi * day.season); }

// One value a day: the year, weather that lasts a few days, and more weather on one side of the year.
Series DailyTemperature(Random& random, int length) {
  const double yearly = random.Uniform(1, 14), weather = random.Uniform(1.5, 5), mean = random.Uniform(-5, 28);
  const double uneven = random.Uniform(-0.5, 0.5), skew = random.Uniform(-0.25, 0.4), quick = random.Uniform(0, 0.5);
  const double grid = random.OneOf({0, 0.1, 0.1, 0.5, 1});
  Reverting front(random, random.LogUniform(1.2, 4)), slow(random, random.LogUniform(10, 60));
  Series values(length);
  for (const Day& day : DailyCalendar(random, length).days) {
    const double winter = Winter(day), x = front.Next(random);
    // x * x - 1 has the mean 0, so the skew leaves the mean temperature alone.
    const double lasting = 0.4 * slow.Next(random), now = x + skew * (x * x - 1) + lasting + quick * random.Normal();
    for (int t = day.begin; t < day.end; ++t)
      values[t] = OnGrid(mean - yearly * winter + weather * (1 - uneven * winter) * now, grid);
  }
  return values;
}

// Several values a day. Sunny days are warm at noon and cold at night, cloudy days are neither.
Series HourlyTemperature(Random& random, int length) {
  const Calendar calendar = RandomCalendar(random, length);
  const double sunrise = random.Uniform(0.18, 0.32), noon = random.Uniform(0.55, 0.68);
  const Profile day_profile = Warmth(sunrise, noon, random.Uniform(0.8, 3.5), calendar.steps);
  const double yearly = random.Uniform(0, 14), mean = random.Uniform(-5, 28), swing = random.Uniform(1.5, 15);
  const double regular = random.Chance(0.25) ? random.LogUniform(0.01, 0.2) : 1;  // small: average years, a desert
  const double weather = regular * random.Uniform(1, 6), unsettled = regular * random.Uniform(0.1, 0.6);
  const double noise = regular * random.LogUniform(0.03, 0.6), grid = random.OneOf({0, 0.1, 0.1, 1});
  Reverting front(random, random.LogUniform(1, 6) * calendar.steps), clouds(random, random.LogUniform(0.5, 3));
  Reverting shower(random, random.LogUniform(0.7, 6) * calendar.hour());
  double amplitude = swing;
  double settled = 0;  // follows the front, but turns without corners
  const double follow = 1 / (1 + 3 * calendar.hour());
  Series values(length);
  for (const Day& day : calendar.days) {
    const double winter = Winter(day), next = swing * (1 - 0.25 * winter) * std::exp(unsettled * clouds.Next(random));
    const double turn = (next - amplitude) / calendar.steps;  // per step: no night begins with a jump
    for (int t = day.begin; t < day.end; ++t) {
      const double warmth = At(day_profile, t - day.midnight);
      amplitude += turn;
      settled += follow * (front.Next(random) - settled);
      const double rough = noise * (0.3 + warmth) * shower.Next(random);
      values[t] = OnGrid(mean - yearly * winter + amplitude * (warmth - 0.4) + weather * settled + rough, grid);
    }
  }
  return values;
}

// A path that forgets over `memory` values, smoothed over `smooth` values.
Series SmoothPath(Random& random, int length, double memory, double smooth) {
  Reverting path(random, memory);
  const double follow = 1 / (1 + smooth);
  // Smoothing begins on the path: a start at 0 would be a trend that no weather makes.
  double settled = path.now();
  Series values(length);
  for (double& value : values) value = settled += follow * (path.Next(random) - settled);
  return values;
}

// Adds up while the wind keeps its direction, and restarts when the wind turns.
void Accumulate(Random& random, Series& values) {
  const double turn = random.Uniform(0.01, 0.2), calm = random.Uniform(0.2, 1);
  double sum = 0;
  for (double& value : values) {
    const double speed = std::exp(value);
    // A weak wind turns more often than a strong wind.
    sum = random.Chance(turn / (0.3 + speed)) ? 0 : sum + speed;
    value = std::round(100 * (sum + calm)) / 100;
  }
}

void Rain(Random& random, Series& values) {
  const double dry = random.Uniform(0.3, 1.8), unit = random.LogUniform(0.1, 3), power = random.Uniform(1, 2.5);
  for (double& value : values) {
    const double wet = std::max(0.0, value - dry);
    value = wet > 0 ? std::round(10 * unit * std::pow(wet * random.Exponential(), power)) / 10 : 0;
  }
}

// A turbine: no power below cut-in, a cube up to the rated power, flat above.
void WindPower(Random& random, Series& values) {
  const double mean = random.Uniform(0.4, 0.9), spread = random.Uniform(0.15, 0.4), cut_in = random.Uniform(0, 0.3);
  const double gusts = random.LogUniform(0.01, 0.08), rated = random.LogUniform(1, 5000);
  for (double& value : values) {
    const double speed = std::fabs(mean + spread * value + gusts * random.Normal());
    value = speed < cut_in ? 0 : rated * std::min(1.0, speed * speed * speed);
  }
}

// Pollution builds up over days and is blown away in hours.
void Pollute(Random& random, Series& values, double hour) {
  const double spread = random.Uniform(0.5, 1), unit = random.LogUniform(5, 80), noise = random.LogUniform(0.02, 0.2);
  Episode front{random.LogUniform(0.003, 0.02) / hour, random.LogUniform(5, 60) * hour};
  double clean = 0;
  for (double& value : values) {
    clean += ((front.Next(random) ? 2.0 : 0.0) - clean) * std::min(1.0, 0.4 / hour);
    value = std::round(unit * std::exp(spread * value - clean + noise * random.Normal()));
  }
}

// Humidity is high at night and low by day, at most 100 %.
void Humidity(Random& random, Series& values, const Calendar& calendar) {
  const double sunrise = random.Uniform(0.18, 0.3), noon = random.Uniform(0.55, 0.66);
  const Profile warmth = Warmth(sunrise, noon, 2, calendar.steps);
  const double mean = random.Uniform(40, 95), swing = random.Uniform(2, 50), spread = random.Uniform(3, 18);
  const double grid = random.OneOf({0, 0.1, 1, 1});
  for (const Day& day : calendar.days) {
    const double today = swing * random.Uniform(0.5, 1.2);
    for (int t = day.begin; t < day.end; ++t) {
      const double value = mean + spread * values[t] - today * (At(warmth, t - day.midnight) - 0.4);
      values[t] = OnGrid(std::clamp(value, 5.0, 100.0), grid);
    }
  }
}

}  // namespace

Series DrawTemperature(Random& random, int length) {
  return random.Chance(0.25) ? DailyTemperature(random, length) : HourlyTemperature(random, length);
}

Series DrawWeather(Random& random, int length) {
  const Calendar calendar = RandomCalendar(random, length);
  const double hour = calendar.hour();
  const int kind = random.Below(6);
  const double memory = random.LogUniform(8, 80) * hour,
               smooth = (kind == 0 ? 4 : 1) * random.LogUniform(0.2, 3) * hour;
  Series values = SmoothPath(random, length, memory, smooth);
  switch (kind) {
    case 0: {  // pressure
      const double spread = random.Uniform(2, 12), grid = random.OneOf({0, 0.1, 1});
      for (double& value : values) value = OnGrid(1013 + spread * value, grid);
      break;
    }
    case 1:
      Accumulate(random, values);
      break;
    case 2:
      Rain(random, values);
      break;
    case 3:
      WindPower(random, values);
      break;
    case 4:
      Pollute(random, values, hour);
      break;
    default:
      Humidity(random, values, calendar);
  }
  return values;
}

}  // namespace aaren::forecasting
