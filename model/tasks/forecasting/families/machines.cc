// Machines: tanks that fill and empty, appliances switching on and off, and jobs run by the clock.

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/tasks/forecasting/families/draws.h"
#include "model/tasks/forecasting/parts/calendar.h"
#include "model/tasks/forecasting/parts/process.h"
#include "model/tasks/forecasting/parts/profile.h"

namespace aaren::forecasting {
namespace {

// An appliance that is on for a while and off for a while, with nearly the same power whenever on.
class Appliance {
 public:
  Appliance(Random& random, double hour) {
    power_ = random.LogUniform(0.1, 3);
    on_for_ = std::max(1.0, random.LogUniform(0.2, 6) * hour);
    off_for_ = std::max(2.0, random.LogUniform(0.5, 40) * hour);
    regular_ = random.Chance(0.5) ? random.LogUniform(0.01, 0.2) : 1;
    ripple_ = random.LogUniform(0.003, 0.15);
    surge_ = random.Chance(0.3) ? random.Uniform(0.1, 1) : 0;
    seldom_ = random.Chance(0.6);
    left_ = off_for_ * random.Uniform();
  }

  // `activity` is the probability, from 0 to 1, that people use the appliance now.
  double Next(Random& random, double activity) {
    if (--left_ <= 0) Switch(random, activity);
    if (!on_) return 0;
    surging_ *= 0.6;
    return power_ * (1 + surging_ + ripple_ * random.Normal());
  }

 private:
  void Switch(Random& random, double activity) {
    if (!on_ && seldom_ && !random.Chance(activity)) {  // asked again later
      left_ = std::max(1.0, 0.1 * off_for_);
      return;
    }
    on_ = !on_;
    surging_ = surge_;
    const double mean = on_ ? on_for_ : off_for_;
    left_ = mean * (regular_ < 1 ? std::max(0.2, 1 + regular_ * random.Normal()) : random.Gamma(1.5) / 1.5);
  }

  double power_, on_for_, off_for_, regular_, ripple_, surge_;
  bool seldom_, on_ = false;
  double left_ = 0, surging_ = 0;
};

// A task of the scheduler: every `period` values, `width` values long.
struct Job {
  double period, start, height, width;
};

}  // namespace

Series DrawSawtooth(Random& random, int length) {
  const double period = random.LogUniform(5, 700), curve = random.OneOf({1, 1, 0.5, 2, 3});
  const double uneven = random.Chance(0.5) ? 0 : random.LogUniform(0.01, 0.5), rises = random.Uniform(0.5, 1);
  const bool falls = random.Chance(0.4), drops = random.Chance(0.6);  // drops at once, or over the remaining period
  const double full = random.Chance(0.3) ? random.Uniform(0.05, 0.4) : 0, noise = random.LogUniform(0.001, 0.08);
  const double unit = random.LogUniform(0.5, 1000), sway = random.Chance(0.3) ? random.Uniform(0.05, 0.5) : 0;
  const double grid = random.Chance(0.25) ? unit / random.LogUniform(10, 200) : 0;
  const double turn = drops ? 1 : rises;
  Reverting level(random, 20 * period), short_noise(random, random.LogUniform(0.2, 6));
  double phase = random.Uniform(), speed = 1 / period, height = 1;
  Series values(length);
  for (double& value : values) {
    const double up = phase < turn ? std::pow(phase / turn, curve) : (1 - phase) / (1 - turn);
    const double tooth = height * std::min(up, 1 - full) / (1 - full);
    const double base = sway > 0 ? sway * level.Next(random) : 0;
    value = OnGrid(unit * ((falls ? 1 - tooth : tooth) + base + noise * short_noise.Next(random)), grid);
    phase += speed;
    if (phase < 1) continue;
    // A short period drawn much faster may pass more than one turn in a step, and no tooth is defined beyond 1.
    phase = std::min(phase - 1, 0.999);
    speed = 1 / period * std::exp(uneven * random.Normal());
    height = std::max(0.2, 1 + 0.5 * uneven * random.Normal());
  }
  return values;
}

Series DrawMachines(Random& random, int length) {
  const Calendar calendar = RandomCalendar(random, length, random.Chance(0.3) ? 24 : 96);
  Profile activity = RandomProfile(random, calendar.steps);
  const double rest = random.Uniform(0, 0.3), base = random.Chance(0.6) ? random.LogUniform(0.02, 0.6) : 0;
  for (double& value : activity) value = rest + (1 - rest) * value;
  std::vector<Appliance> appliances;
  const int count = random.Chance(0.35) ? 1 : 2 + random.Below(4);
  for (int i = 0; i < count; ++i) appliances.emplace_back(random, calendar.hour());
  const double grid = random.OneOf({0, 0, 0.01, 0.1}), unit = random.OneOf({1, 1, 10, 1000});
  const double hum = base * random.LogUniform(0.01, 0.2), scheduled = random.Chance(0.3) ? random.Uniform(0.5, 2) : 0;
  const int from = random.Below(calendar.steps), until = from + random.Below(std::max(1, calendar.steps / 6)) + 1;
  Reverting slow(random, 3 * calendar.hour());
  Series values(length);
  for (const Day& day : calendar.days) {
    const bool away = day.holiday;
    for (int t = day.begin; t < day.end; ++t) {
      const int step = t - day.midnight;
      double power = base > 0 ? base + hum * slow.Next(random) : 0;
      const double wanted = away ? 0.03 : At(activity, step);
      for (Appliance& appliance : appliances) power += appliance.Next(random, wanted);
      if (scheduled > 0 && step >= from && step < until) power += scheduled * (1 + 0.02 * random.Normal());
      values[t] = unit * OnGrid(std::max(0.0, power), grid);
    }
  }
  return values;
}

Series DrawJobs(Random& random, int length) {
  const Calendar calendar = RandomCalendar(random, length);
  std::vector<Job> jobs(1 + random.Below(3));
  for (Job& job : jobs) {
    const double hours = random.OneOf({0.5, 1, 2, 4, 6, 8, 12, 24, 24, 24});
    const double period = random.Chance(0.7) ? hours * calendar.hour() : random.LogUniform(5, 300);
    job.period = std::max(4.0, random.Chance(0.9) ? std::round(period) : period);
    job.start = random.Uniform(0, job.period);
    job.height = random.LogUniform(0.3, 10);
    job.width = std::max(1.0, job.period * random.LogUniform(0.03, 0.6));
  }
  const double uneven = random.LogUniform(0.01, 0.5), noise = random.LogUniform(0.01, 0.3),
               fades = random.Uniform(0, 1);
  const double skip = random.Chance(0.3) ? random.Uniform(0, 0.15) : 0, base = random.Uniform(0, 3);
  const bool positive = random.Chance(0.7), has_day = random.Chance(0.4);
  const Profile load = RandomProfile(random, calendar.steps);
  const double daily = has_day ? random.Uniform(0.2, 2) : 0, limit = random.Chance(0.2) ? base + 2 : 1e6;
  std::vector<double> heights(jobs.size(), 0), ago(jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) ago[i] = jobs[i].start;
  Reverting short_noise(random, random.LogUniform(0.2, 30));
  Series values(length);
  for (const Day& day : calendar.days) {
    for (int t = day.begin; t < day.end; ++t) {
      double value = base + noise * short_noise.Next(random);
      if (has_day) value += daily * At(load, t - day.midnight);
      for (size_t i = 0; i < jobs.size(); ++i) {
        if (++ago[i] >= jobs[i].period) {
          ago[i] -= jobs[i].period;
          heights[i] = random.Chance(skip) ? 0 : jobs[i].height * std::exp(uneven * random.Normal());
        }
        if (ago[i] < jobs[i].width) value += heights[i] * (1 - fades * ago[i] / jobs[i].width);
      }
      values[t] = std::min(limit, positive ? std::max(0.0, value) : value);
    }
  }
  return values;
}

}  // namespace aaren::forecasting
