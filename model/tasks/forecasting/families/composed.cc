// Sums of parts (trend.h, season.h, gaussian_process.h, noise.h) in random proportions, some made exponentials, counts
// or mostly zero. Other families imitate a particular thing; this family imitates no thing in particular.

#include <algorithm>
#include <cmath>

#include "absl/types/span.h"
#include "model/tasks/forecasting/families/draws.h"
#include "model/tasks/forecasting/parts/gaussian_process.h"
#include "model/tasks/forecasting/parts/noise.h"
#include "model/tasks/forecasting/parts/season.h"
#include "model/tasks/forecasting/parts/trend.h"

namespace aaren::forecasting {
namespace {

void AddScaled(double gain, const Series& part, Series& values) {
  for (size_t t = 0; t < values.size(); ++t) values[t] += gain * part[t];
}

void AddTrends(Random& random, double more, Series& values) {
  const int length = static_cast<int>(values.size());
  const double gain = random.LogUniform(0.1, 3);
  AddScaled(gain, RandomTrend(random, length), values);
  if (!random.Chance(more)) return;
  const double other = random.LogUniform(0.1, 2);
  AddScaled(other, RandomTrend(random, length), values);
}

// Adds a season; in some series the amplitude follows the level.
void AddSeason(Random& random, Series& values) {
  const int length = static_cast<int>(values.size());
  Series season = RandomSeason(random, length);
  const double growth = random.Chance(0.18) ? random.Uniform(0.2, 0.8) : 0;
  // Without the clamp, the growth of a steep trend would dwarf the whole season.
  for (int t = 0; growth > 0 && t < length; ++t) season[t] *= std::exp(growth * std::clamp(values[t], -3.0, 3.0));
  AddScaled(random.LogUniform(0.3, 3), season, values);
}

// Adds noise to a pattern, which is scaled to deviation 1; in some series the noise grows with the level.
void AddNoise(Random& random, Series& values) {
  Standardize(absl::MakeSpan(values));
  Series noise = RandomNoise(random, static_cast<int>(values.size()));
  const double gain = random.LogUniform(0.02, 1.2), growth = random.Chance(0.25) ? random.Uniform(0.3, 1) : 0;
  for (size_t t = 0; growth > 0 && t < values.size(); ++t) {
    noise[t] *= std::exp(growth * std::clamp(values[t], -3.0, 3.0));
  }
  AddScaled(gain, noise, values);
}

void Smooth(Random& random, Series& values) {
  const double keep = random.Uniform(0.3, 0.95);
  double level = values[0];
  for (double& value : values) value = level = keep * level + (1 - keep) * value;
}

void Exponentiate(Random& random, Series& values) {
  const double strength = random.Uniform(0.3, 1.3);
  // Five deviations at most: the factor stays below exp(6.5) = 665.
  for (double& value : values) value = std::exp(strength * std::clamp(value, -5.0, 5.0));
}

void Count(Random& random, Series& values) {
  const double mean = random.LogUniform(0.3, 200), strength = random.Uniform(0.2, 1);
  for (double& value : values) value = random.Poisson(mean * std::exp(strength * std::clamp(value, -4.0, 4.0)));
}

// Sets most values to zero; the remaining values are positive.
void Intermit(Random& random, Series& values) {
  const double active = random.Uniform(0.05, 0.6);
  for (double& value : values) value = random.Chance(active) ? std::exp(0.5 * std::clamp(value, -4.0, 4.0)) : 0;
}

// Chooses the quantity: mostly the sum itself, with another unit and level.
void Become(Random& random, Series& values) {
  if (random.Chance(0.1)) Smooth(random, values);
  if (random.Chance(0.12)) {
    Exponentiate(random, values);
  } else if (random.Chance(0.06)) {
    Count(random, values);
  } else if (random.Chance(0.04)) {
    Intermit(random, values);
  } else if (random.Chance(0.6)) {
    const double scale = random.LogUniform(1e-2, 1e3), offset = 5 * scale * random.Normal();
    for (double& value : values) value = offset + scale * value;
  }
}

}  // namespace

Series DrawTrend(Random& random, int length) {
  Series values(length);
  AddTrends(random, 0.4, values);
  AddNoise(random, values);
  Become(random, values);
  return values;
}

Series DrawTrendAndSeason(Random& random, int length) {
  Series values(length);
  if (random.Chance(0.8)) AddTrends(random, 0.2, values);
  AddSeason(random, values);
  AddNoise(random, values);
  Become(random, values);
  return values;
}

Series DrawGaussianProcess(Random& random, int length) {
  Series values = RandomGaussianProcess(random, length);
  if (random.Chance(0.3)) {
    Series season(length);
    AddSeason(random, season);
    AddScaled(random.LogUniform(0.2, 1), season, values);
  }
  AddNoise(random, values);
  Become(random, values);
  return values;
}

}  // namespace aaren::forecasting
