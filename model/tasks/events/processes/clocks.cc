// Processes that follow clocks and calendars, and mixtures of several processes in time.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "model/tasks/events/processes/law.h"
#include "model/tasks/events/processes/process.h"

namespace aaren::events {
namespace {

constexpr double kDay = 86400;  // seconds

// The gaps between events in order of time, with the events' makers as marks.
Drawn Ordered(std::vector<std::pair<double, int>> events, int gaps) {
  std::sort(events.begin(), events.end());
  Drawn drawn;
  drawn.marks.push_back(events[0].second);
  for (int i = 0; i < gaps; ++i) {
    drawn.gaps.push_back(std::max(events[i + 1].first - events[i].first, 1e-9));
    drawn.marks.push_back(events[i + 1].second);
  }
  return drawn;
}

// The rhythm of a day and a week, a positive factor of the rate.
struct Rhythm {
  explicit Rhythm(Random& random)
      : on_off(random.Chance(0.35)),
        share(random.Uniform(0.15, 0.7)),
        offset(random.Uniform()),
        night(TenTo(random, -2.5, -0.3)),
        weekend(random.Chance(0.5) ? TenTo(random, -1.5, 0.3) : 1),
        week_offset(random.Uniform()) {
    for (int k = 0; k < 3; ++k) {
      size[k] = random.Uniform(0, 1.5) / (k + 1);
      turn[k] = random.Uniform();
    }
  }

  double At(double days) const {
    const double phase = days + offset - std::floor(days + offset), week = days / 7 + week_offset;
    const double factor = week - std::floor(week) < 2.0 / 7 ? weekend : 1;
    if (on_off) return factor * (phase < share ? 1 : night);
    double log = 0;
    for (int k = 0; k < 3; ++k) log += size[k] * std::cos(2 * std::numbers::pi * ((k + 1) * phase + turn[k]));
    return factor * std::exp(log);
  }
  double Most() const {
    double log = 0;
    for (int k = 0; k < 3; ++k) log += size[k];
    return std::max(1.0, weekend) * (on_off ? 1 : std::exp(log));
  }

  bool on_off;
  double share, offset, night, weekend, week_offset;
  double size[3], turn[3];
};

std::vector<double> TimesOfTimer(Random& random, double period, double jitter, int count) {
  const double missed = random.Chance(0.4) ? TenTo(random, -2, -0.5) : 0, phase = random.Uniform();
  const bool drifts = random.Chance(0.3);
  // A cycle of a few unequal gaps, as of a table of cron.
  std::vector<double> cycle(random.Chance(0.3) ? 2 + random.Below(5) : 1, period);
  if (cycle.size() > 1) {
    for (double& gap : cycle) gap = period * random.LogUniform(0.1, 3);
  }
  std::vector<double> times;
  double at = period * phase;
  for (size_t i = 0; times.size() < static_cast<size_t>(count); ++i) {
    const double moved = period * jitter * random.Normal();
    if (!random.Chance(missed)) times.push_back(at + moved);
    at += cycle[i % cycle.size()] + (drifts ? moved : 0);
  }
  return times;
}

}  // namespace

// A person's actions: sittings with quick actions, breaks, and nights.
Drawn People(Random& random, int gaps) {
  const double action = TenTo(random, 0, 2.6), rest = TenTo(random, 3.3, 5.6), sitting = TenTo(random, 0.1, 1.5);
  const double spread = random.Uniform(0.4, 1.6), rest_spread = random.Uniform(0.3, 1.3);
  const Rhythm rhythm(random);
  const bool nights = random.Chance(0.7);
  const double most = rhythm.Most();
  Drawn drawn = {.gaps = {}, .marks = {}, .seconds = true};
  double now = 0;
  for (int i = 0; i < gaps; ++i) {
    double gap = action * std::exp(spread * random.Normal());
    if (random.Chance(1 / (1 + sitting))) {
      gap += rest * std::exp(rest_spread * random.Normal());
      // A sitting begins at an hour that suits the person.
      for (int tries = 0; nights && tries < 100 && !random.Chance(rhythm.At((now + gap) / kDay) / most); ++tries) {
        gap += random.Exponential() * kDay / 12;
      }
    }
    now += gap;
    drawn.gaps.push_back(gap);
  }
  return drawn;
}

// A Poisson process whose rate has the rhythm of a day, or of another period.
Drawn Seasonal(Random& random, int gaps) {
  const Rhythm rhythm(random);
  const double rate = TenTo(random, -0.7, 2.2), most = rhythm.Most();
  Drawn drawn = {.gaps = {}, .marks = {}, .seconds = random.Chance(0.7)};
  const double day = drawn.seconds ? kDay : 1;
  double now = random.Uniform(0, 7), last = now;
  for (int i = 0; i < gaps; ++i) {
    int tries = 0;
    do now += random.Exponential() / (rate * most);
    while (++tries < 2000 && !random.Chance(rhythm.At(now) / most));
    drawn.gaps.push_back((now - last) * day);
    last = now;
  }
  return drawn;
}

Drawn Timers(Random& random, int gaps) {
  const int timers = 1 + random.Below(4);
  std::vector<std::pair<double, int>> events;
  double end = 1e300;
  for (int timer = 0; timer < timers; ++timer) {
    const double period = timer == 0 ? 1 : TenTo(random, -1, 1);
    const std::vector<double> times = TimesOfTimer(random, period, TenTo(random, -4, -0.6), gaps + 1);
    for (const double time : times) events.emplace_back(time, timer);
    end = std::min(end, *std::max_element(times.begin(), times.end()));
  }
  // Each timer alone has enough events, so enough events come before the first timer ends.
  std::erase_if(events, [end](const auto& event) { return event.first > end; });
  Drawn drawn = Ordered(std::move(events), gaps);
  if (random.Chance(0.4)) drawn.marks.clear();
  return drawn;
}

// Two or three processes at once, each at its own pace.
Drawn Superposition(Random& random, int gaps) {
  const int count = 2 + random.Below(2);
  std::vector<std::pair<double, int>> events;
  double end = 1e300;
  int marks = 0;
  for (int part = 0; part < count; ++part) {
    const int kind = random.Below(static_cast<int>(Processes().size()) - 1);  // the last is Superposition
    const Drawn drawn = Processes()[kind].draw(random, gaps);
    std::vector<double> sorted = drawn.gaps;
    std::nth_element(sorted.begin(), sorted.begin() + gaps / 2, sorted.end());
    const double pace = TenTo(random, -0.7, 0.7) / sorted[gaps / 2];
    // The parts begin apart. Parts that all began at 0 would make first intervals of nothing, and teach that a huge
    // interval follows two equal intervals.
    double now = pace * drawn.gaps[0] * random.Uniform();
    int most = 0;
    for (int i = 0; i <= gaps; ++i) {
      const int mark = drawn.marks.empty() ? 0 : drawn.marks[i];
      most = std::max(most, mark);
      events.emplace_back(now, marks + mark);
      if (i < gaps) now += pace * drawn.gaps[i];
    }
    end = std::min(end, now);
    marks += most + 1;
  }
  std::erase_if(events, [end](const auto& event) { return event.first > end; });
  Drawn drawn = Ordered(std::move(events), gaps);
  if (random.Chance(0.4)) drawn.marks.clear();
  return drawn;
}

}  // namespace aaren::events
