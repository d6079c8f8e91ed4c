#include "model/tasks/forecasting/synthetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/types/span.h"
#include "model/tasks/forecasting/gaussian_process.h"
#include "model/tasks/forecasting/noise.h"
#include "model/tasks/forecasting/random.h"
#include "model/tasks/forecasting/season.h"
#include "model/tasks/forecasting/trend.h"

namespace aaren {
namespace {

void AddScaled(double gain, const std::vector<double>& part, absl::Span<double> values) {
  for (size_t t = 0; t < values.size(); ++t) values[t] += gain * part[t];
}

// Trend plus season, or, in some, trend times season: amplitudes that follow the level.
std::vector<double> Pattern(Random& random, int length) {
  std::vector<double> values(length);
  if (random.Chance(0.75)) AddScaled(random.LogUniform(0.1, 3), RandomTrend(random, length), absl::MakeSpan(values));
  if (random.Chance(0.2)) AddScaled(random.LogUniform(0.1, 2), RandomTrend(random, length), absl::MakeSpan(values));
  if (random.Chance(0.85)) {
    std::vector<double> season = RandomSeason(random, length);
    const double growth = random.Chance(0.15) ? random.Uniform(0.2, 0.8) : 0;
    for (int t = 0; growth > 0 && t < length; ++t) season[t] *= std::exp(growth * std::clamp(values[t], -3.0, 3.0));
    AddScaled(random.LogUniform(0.3, 3), season, absl::MakeSpan(values));
  }
  return values;
}

std::vector<double> Compose(Random& random, int length) {
  const bool gaussian = random.Chance(0.15);
  std::vector<double> values = gaussian ? RandomGaussianProcess(random, length) : Pattern(random, length);
  if (gaussian && random.Chance(0.3)) {
    AddScaled(random.LogUniform(0.3, 2), Pattern(random, length), absl::MakeSpan(values));
  }
  Standardize(absl::MakeSpan(values));
  std::vector<double> noise = RandomNoise(random, length);
  const double gain = random.LogUniform(0.02, 1.2);
  if (random.Chance(0.25)) {  // noise that grows with the level
    const double growth = random.Uniform(0.3, 1);
    for (int t = 0; t < length; ++t) noise[t] *= std::exp(growth * std::clamp(values[t], -3.0, 3.0));
  }
  AddScaled(gain, noise, absl::MakeSpan(values));
  return values;
}

// Another regime from some moment on, and sometimes back: level, amplitude and shape all change at once.
void ChangeRegime(Random& random, std::vector<double>& values) {
  const int length = static_cast<int>(values.size()), begin = random.Below(length);
  const int end = random.Chance(0.4) ? begin + random.Below(length - begin) : length;
  const std::vector<double> other = Compose(random, length);
  const double gain = random.LogUniform(0.2, 3), shift = random.Normal(), keep = random.Chance(0.5) ? 1 : 0;
  for (int t = begin; t < end; ++t) values[t] = keep * values[t] + gain * other[t] + shift;
}

double QuantileOf(std::vector<double> values, double level) {
  const auto at = values.begin() + static_cast<int>(level * (values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void Smooth(Random& random, std::vector<double>& values) {
  const double keep = random.Uniform(0.3, 0.95);
  double level = values[0];
  for (double& value : values) value = level = keep * level + (1 - keep) * value;
}

void Clip(Random& random, std::vector<double>& values) {
  const double low = QuantileOf(values, random.Uniform(0, 0.5));
  const double high =
      random.Chance(0.3) ? QuantileOf(values, random.Uniform(0.6, 1)) : std::numeric_limits<double>::max();
  for (double& value : values) value = std::clamp(value, low, std::max(low, high));
}

void Count(Random& random, std::vector<double>& values) {
  const double mean = random.LogUniform(0.3, 200), strength = random.Uniform(0.2, 1);
  for (double& value : values) value = random.Poisson(mean * std::exp(strength * std::clamp(value, -4.0, 4.0)));
}

// Zero at most values; what remains is positive.
void Intermit(Random& random, std::vector<double>& values) {
  const double active = random.Uniform(0.05, 0.6);
  for (double& value : values) value = random.Chance(active) ? std::exp(0.5 * std::clamp(value, -4.0, 4.0)) : 0;
}

void Hold(Random& random, std::vector<double>& values) {
  const int step = 2 + random.Below(11);
  const bool regular = random.Chance(0.5);
  double held = values[0];
  for (size_t t = 0; t < values.size(); ++t) {
    if (regular ? t % step == 0 : random.Chance(1.0 / step)) held = values[t];
    values[t] = held;
  }
}

void Round(Random& random, std::vector<double>& values) {
  const double grid = random.LogUniform(0.02, 0.7);
  for (double& value : values) value = grid * std::round(value / grid);
}

void Exponentiate(Random& random, std::vector<double>& values) {
  const double strength = random.Uniform(0.3, 1.3);
  for (double& value : values) value = std::exp(strength * std::clamp(value, -5.0, 5.0));
}

void Measure(Random& random, std::vector<double>& values) {
  if (random.Chance(0.1)) Smooth(random, values);
  if (random.Chance(0.12)) {
    Exponentiate(random, values);
  } else if (random.Chance(0.06)) {
    Count(random, values);
  } else if (random.Chance(0.04)) {
    Intermit(random, values);
  }
  if (random.Chance(0.12)) Clip(random, values);
  if (random.Chance(0.06)) Hold(random, values);
  if (random.Chance(0.15)) Round(random, values);
}

void RemoveStretches(Random& random, std::vector<double>& values) {
  const double mean_gap = random.LogUniform(1, 100), share = random.LogUniform(0.01, 0.3);
  const double start = share / mean_gap, end = 1 / mean_gap;
  bool missing = false;
  for (double& value : values) {
    missing = missing ? !random.Chance(end) : random.Chance(start);
    if (missing) value = std::numeric_limits<double>::quiet_NaN();
  }
}

// From some moment on far away, and on another scale: a counter that starts anew, another unit, another sensor.
void Relocate(Random& random, std::vector<double>& values) {
  const int length = static_cast<int>(values.size()), begin = random.Below(length);
  const double gain = random.LogUniform(0.1, 10), shift = (random.Chance(0.5) ? 1 : -1) * random.LogUniform(30, 1e6);
  for (int t = begin; t < length; ++t) values[t] = shift + gain * values[t];
}

}  // namespace

std::vector<double> SyntheticSeries(uint64_t seed, uint64_t index, int length) {
  Random random(seed, index);
  std::vector<double> values = Compose(random, length);
  if (random.Chance(0.08)) ChangeRegime(random, values);
  if (random.Chance(0.08)) AddBursts(random, 1, absl::MakeSpan(values));
  if (random.Chance(0.08)) AddSpikes(random, 1, absl::MakeSpan(values));
  Measure(random, values);
  if (random.Chance(0.03)) AddGlitches(random, 1, absl::MakeSpan(values));
  if (random.Chance(0.02)) Relocate(random, values);
  const double scale = random.LogUniform(1e-2, 1e3), offset = random.Chance(0.5) ? 0 : 5 * scale * random.Normal();
  for (double& value : values) value = offset + scale * value;
  const double first = values[0];
  if (random.Chance(0.15)) RemoveStretches(random, values);
  if (std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) values[0] = first;
  return values;
}

}  // namespace aaren
