#include "model/tasks/forecasting/parts/season.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "model/tasks/forecasting/parts/trend.h"

namespace aaren::forecasting {
namespace {

constexpr int kShapePoints = 240;  // one cycle, read with linear interpolation
using Shape = std::array<double, kShapePoints>;

double Sine(double phase) { return std::sin(2 * std::numbers::pi * phase); }

Shape Harmonics(Random& random, int count) {
  Shape shape = {};
  for (int k = 1; k <= count; ++k) {
    const double gain = random.Normal() / std::pow(k, random.Uniform(0.5, 1.5)), phase = random.Uniform();
    for (int i = 0; i < kShapePoints; ++i) shape[i] += gain * Sine(k * (i / double{kShapePoints}) + phase);
  }
  return shape;
}

// The profile of a day: random heights at random knots, joined by lines.
Shape Profile(Random& random) {
  Shape shape = {};
  const int knots = 3 + random.Below(10);
  std::vector<double> heights(knots + 1);
  for (double& height : heights) height = random.Normal();
  heights[knots] = heights[0];
  for (int i = 0; i < kShapePoints; ++i) {
    const double at = i * knots / double{kShapePoints};
    const int k = static_cast<int>(at);
    shape[i] = heights[k] + (at - k) * (heights[k + 1] - heights[k]);
  }
  return shape;
}

// One to three peaks over a flat ground: rush hours, meals, batch jobs.
Shape Peaks(Random& random) {
  Shape shape = {};
  const int peaks = 1 + random.Below(3);
  for (int p = 0; p < peaks; ++p) {
    const double center = random.Uniform(), height = random.Uniform(0.3, 1), sharpness = random.LogUniform(1, 60);
    for (int i = 0; i < kShapePoints; ++i) {
      // A quarter of a turn makes the sine a cosine, with its peak at the center.
      shape[i] += height * std::exp(sharpness * (Sine(i / double{kShapePoints} - center + 0.25) - 1));
    }
  }
  return shape;
}

Shape RandomShape(Random& random) {
  const int kind = random.Below(8);
  if (kind == 0) return Harmonics(random, 1);
  if (kind == 1) return Harmonics(random, 2 + random.Below(6));
  if (kind == 2) return Profile(random);
  if (kind == 3) return Peaks(random);
  Shape shape;
  const double width = random.Uniform(0.1, 0.9);
  for (int i = 0; i < kShapePoints; ++i) {
    const double phase = i / double{kShapePoints};
    if (kind == 4) shape[i] = phase < width ? phase / width : (1 - phase) / (1 - width);  // triangle or saw
    if (kind == 5) shape[i] = phase < width ? 1 : 0;                                      // on and off
    if (kind == 6) shape[i] = phase < width ? Sine(phase / width / 2) : 0;                // day and night
    if (kind == 7)
      shape[i] = phase < width ? 1 - std::exp(-4 * phase / width) : std::exp(-4 * (phase - width));  // charge
  }
  return shape;
}

double Read(const Shape& shape, double phase) {
  const double at = (phase - std::floor(phase)) * kShapePoints;
  const int i = std::min(static_cast<int>(at), kShapePoints - 1);
  return shape[i] + (at - i) * (shape[(i + 1) % kShapePoints] - shape[i]);
}

struct Cycle {
  double period = 1;
  double start = 0;              // phase of the first value
  Shape shape = {}, later = {};  // `later` from value `change` on
  int change = 0;
  double cycle_deviation = 0;  // deviation of the amplitude from cycle to cycle
  double drift_deviation = 0;  // deviation of the amplitude's slow path
  double phase_wander = 0;     // per value, in cycles
};

Cycle RandomCycle(Random& random, double period, int length) {
  Cycle cycle = {
      .period = period, .start = random.Uniform(), .shape = RandomShape(random), .later = {}, .change = length};
  cycle.later = cycle.shape;
  if (random.Chance(0.1)) {
    cycle.later = RandomShape(random);
    cycle.change = random.Below(length);
  }
  cycle.cycle_deviation = random.Chance(0.3) ? random.Uniform(0.05, 0.5) : 0;
  cycle.drift_deviation = random.Chance(0.3) ? random.Uniform(0.1, 0.6) : 0;
  // Steps of the phase add up over a cycle as a root, so the division makes the wander of a cycle independent of the
  // period.
  cycle.phase_wander = random.Chance(0.12) ? random.LogUniform(0.001, 0.03) / std::sqrt(period) : 0;
  return cycle;
}

std::vector<double> Draw(Random& random, const Cycle& cycle, int length) {
  std::vector<double> values(length), drift(length);
  if (cycle.drift_deviation > 0) drift = MeanReverting(random, length, random.LogUniform(3, 30) * cycle.period);
  double phase = cycle.start, gain = 1;
  for (int t = 0; t < length; ++t) {
    const double amplitude = gain * std::exp(cycle.drift_deviation * drift[t]);
    values[t] = amplitude * Read(t < cycle.change ? cycle.shape : cycle.later, phase);
    const double next = phase + 1 / cycle.period + (cycle.phase_wander > 0 ? cycle.phase_wander * random.Normal() : 0);
    if (cycle.cycle_deviation > 0 && std::floor(next) > std::floor(phase)) {
      gain = std::exp(cycle.cycle_deviation * random.Normal());
    }
    phase = next;
  }
  Standardize(absl::MakeSpan(values));
  return values;
}

// Damps, amplifies or shifts two of seven days.
void ApplyWeekend(Random& random, double day, absl::Span<double> values) {
  const double gain = random.Uniform(-0.2, 1.3), shift = random.Uniform(-1.5, 1.5);
  const double start = random.Uniform(0, 7 * day);
  for (size_t t = 0; t < values.size(); ++t) {
    if (std::fmod(start + t, 7 * day) >= 5 * day) values[t] = gain * values[t] + shift;
  }
}

// The values per day, or a calendar's shorter cycle; then the longer cycle, 0 if none.
std::pair<double, double> CalendarPeriods(Random& random) {
  static constexpr std::pair<double, double> kPeriods[] = {
      {24, 168}, {24, 168},   {96, 672}, {96, 672}, {144, 1008}, {144, 1008}, {48, 336},       {48, 336},  {288, 2016},
      {7, 0},    {7, 365.25}, {12, 0},   {12, 144}, {4, 0},      {52, 0},     {30.44, 365.25}, {60, 1440}, {72, 504}};
  return kPeriods[random.Below(std::size(kPeriods))];
}

std::vector<double> CalendarSeason(Random& random, int length) {
  const auto [day, above] = CalendarPeriods(random);
  std::vector<double> values = Draw(random, RandomCycle(random, day, length), length);
  const bool has_week = above == 7 * day;
  if (has_week && random.Chance(0.4)) ApplyWeekend(random, day, absl::MakeSpan(values));
  if (above > 0 && random.Chance(0.4)) {
    const double gain = random.LogUniform(0.1, 1.5);
    const std::vector<double> slow = Draw(random, RandomCycle(random, above, length), length);
    for (int t = 0; t < length; ++t) values[t] += gain * slow[t];
  }
  if (day >= 12 && random.Chance(0.2)) {
    const double gain = random.LogUniform(0.1, 0.7);
    const std::vector<double> fast = Draw(random, RandomCycle(random, day / random.OneOf({2, 3, 4}), length), length);
    for (int t = 0; t < length; ++t) values[t] += gain * fast[t];
  }
  return values;
}

std::vector<double> FreeSeason(Random& random, int length) {
  const double first = random.LogUniform(4, 700);
  const double period = random.Chance(0.5) ? std::round(first) : first;
  std::vector<double> values = Draw(random, RandomCycle(random, period, length), length);
  const int more = random.Below(3);
  for (int i = 0; i < more; ++i) {
    const double related = period * random.OneOf({0.5, 1.0 / 3, 0.25, 2, 3, 4, 7});
    const double other = random.Chance(0.5) ? related : random.LogUniform(4, 700);
    const double gain = random.LogUniform(0.1, 1.5);
    const std::vector<double> cycle = Draw(random, RandomCycle(random, std::clamp(other, 4.0, 1500.0), length), length);
    for (int t = 0; t < length; ++t) values[t] += gain * cycle[t];
  }
  return values;
}

}  // namespace

std::vector<double> RandomSeason(Random& random, int length) {
  std::vector<double> values = random.Chance(0.75) ? CalendarSeason(random, length) : FreeSeason(random, length);
  Standardize(absl::MakeSpan(values));
  return values;
}

}  // namespace aaren::forecasting
