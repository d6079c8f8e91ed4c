// Counted things: orders, calls, requests, parts.

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

// A count of 1e6, worth 100 each, stays below the 1e9 of family.h.
constexpr double kMost = 1e6;  // rate of a step

// The opening hours of a shop, as shares of the day, and the closed weekdays.
struct Hours {
  double opens = -1, closes = 2;
  std::array<bool, 7> closed = {};
};

Hours RandomHours(Random& random) {
  Hours hours;
  if (random.Chance(0.55)) {
    hours.opens = random.Uniform(0.2, 0.42);
    hours.closes = random.Uniform(0.6, 0.97);
    hours.closed[6] = random.Chance(0.6);
    hours.closed[5] = random.Chance(0.35);
  }
  return hours;
}

}  // namespace

Series DrawCounts(Random& random, int length) {
  const Calendar calendar = RandomCalendar(random, length);
  const Profile work = RandomProfile(random, calendar.steps);
  const Profile other = RandomProfile(random, calendar.steps), sunday = Blend(work, random.Uniform(0.3, 1), other);
  const Hours hours = RandomHours(random);
  std::array<double, 7> weekdays;
  const double uneven = random.Uniform(0, 0.2);
  for (double& gain : weekdays) gain = std::exp(uneven * random.Normal());
  const double weekend = random.LogUniform(0.3, 1.5), least = random.Uniform(0, 0.4);
  const double rate = random.LogUniform(0.3, 3000), moody = random.Uniform(0.03, 0.4);
  const double shape = random.LogUniform(1.5, 2000), yearly = random.Uniform(0, 0.5),
               growth = 0.3 * random.Normal() / 365;
  const bool worth = random.Chance(0.2);  // sums the worth of the things counted: revenue, bytes
  const double worth_spread = random.Uniform(0.3, 1.2), worth_unit = random.LogUniform(0.1, 100);
  Reverting mood(random, random.LogUniform(0.5, 20));
  Episode campaign{random.LogUniform(0.003, 0.06) / calendar.steps, random.LogUniform(2, 40) * calendar.hour()};
  double raised = 1;
  Series values(length);
  for (size_t i = 0; i < calendar.days.size(); ++i) {
    const Day& day = calendar.days[i];
    const bool free = KindOf(day) > 0;
    const double season = yearly * std::cos(2 * std::numbers::pi * day.season) + growth * static_cast<double>(i);
    const double gain =
        rate * weekdays[day.weekday] * (free ? weekend : 1) * std::exp(moody * mood.Next(random) + season);
    const bool shut = hours.closed[day.holiday ? 6 : day.weekday];
    for (int t = day.begin; t < day.end; ++t) {
      const int step = t - day.midnight;
      // Time passes for a campaign while the shop is closed, too.
      const bool raises = campaign.Next(random);
      if (campaign.begun()) raised = random.Uniform(1.3, 5);
      const double hour = static_cast<double>(step) / calendar.steps;
      if (shut || hour < hours.opens || hour > hours.closes) continue;
      const double expected = gain * (least + (1 - least) * At(free ? sunday : work, step)) * (raises ? raised : 1);
      const int count = random.NegativeBinomial(std::min(expected, kMost), shape);
      values[t] = count;
      if (!worth || count == 0) continue;
      const double spread = worth_spread / std::sqrt(count);  // spread of a mean of `count` worths
      values[t] = std::round(100 * worth_unit * count * std::exp(spread * random.Normal())) / 100;
    }
  }
  return values;
}

Series DrawIntermittent(Random& random, int length) {
  const Calendar calendar = random.Chance(0.5) ? DailyCalendar(random, length) : RandomCalendar(random, length);
  const Profile profile = RandomProfile(random, calendar.steps);
  std::array<double, 7> weekdays;
  for (double& gain : weekdays) gain = random.Uniform(0.4, 1.6);
  const bool has_week = random.Chance(0.5), has_day = calendar.steps > 1 && random.Chance(0.6);
  const bool sundays = has_week && random.Chance(0.4);
  const double chance = random.LogUniform(0.03, 0.6), cluster = random.Chance(0.4) ? random.Uniform(2, 6) : 1;
  const double size = random.Chance(0.4) ? 1 : random.LogUniform(1.5, 100), spread = random.Uniform(0.1, 1.2);
  const double moody = random.Uniform(0, 0.8), shape = random.LogUniform(0.5, 20), pack = random.Chance(0.2) ? 6 : 1;
  const bool whole = random.Chance(0.75);
  Reverting mood(random, random.LogUniform(5, 100));
  Series values(length);
  bool before = false;
  for (const Day& day : calendar.days) {
    double today = chance * std::exp(moody * mood.Next(random)) * (has_week ? weekdays[day.weekday] : 1);
    if (sundays && KindOf(day) == 2) today = 0;
    for (int t = day.begin; t < day.end; ++t) {
      const double here = today * (has_day ? 2 * At(profile, t - day.midnight) : 1) * (before ? cluster : 1);
      before = random.Chance(std::min(here, 0.95));
      if (!before) continue;
      values[t] = whole ? pack * (1 + (size > 1 ? random.NegativeBinomial(size - 1, shape) : 0))
                        : size * std::exp(spread * random.Normal());
    }
  }
  return values;
}

}  // namespace aaren::forecasting
