#include "model/tasks/forecasting/parts/noise.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/tasks/forecasting/parts/trend.h"

namespace aaren::forecasting {
namespace {

// Coefficients of a stationary AR(1) to AR(3). Any partial autocorrelations inside (-1, 1) give a stationary process
// (Durbin and Levinson).
std::array<double, 3> StationaryCoefficients(Random& random) {
  const int order = 1 + random.Below(3);
  std::array<double, 3> phi = {};
  for (int k = 0; k < order; ++k) {
    const double partial = k == 0 ? random.Uniform(-0.3, 0.98) : random.Uniform(-0.6, 0.6);
    const std::array<double, 3> before = phi;
    for (int i = 0; i < k; ++i) phi[i] = before[i] - partial * before[k - 1 - i];
    phi[k] = partial;
  }
  return phi;
}

void Autoregress(const std::array<double, 3>& phi, absl::Span<double> values) {
  for (size_t t = 0; t < values.size(); ++t) {
    for (size_t k = 0; k < std::min(t, phi.size()); ++k) values[t] += phi[k] * values[t - 1 - k];
  }
}

void ModulateVolatility(Random& random, absl::Span<double> values) {
  const double strength = random.Uniform(0.3, 1.2);
  const std::vector<double> level = MeanReverting(random, static_cast<int>(values.size()), random.LogUniform(10, 500));
  for (size_t t = 0; t < values.size(); ++t) values[t] *= std::exp(strength * level[t]);
}

}  // namespace

std::vector<double> RandomNoise(Random& random, int length) {
  std::vector<double> values(length);
  if (random.Chance(0.3)) {
    const int freedom = 3 + random.Below(5);
    // A draw beyond 30 would set the deviation of the whole series, and leave hardly any other noise.
    for (double& value : values) value = std::clamp(random.StudentT(freedom), -30.0, 30.0);
  } else {
    for (double& value : values) value = random.Normal();
  }
  if (random.Chance(0.25)) ModulateVolatility(random, absl::MakeSpan(values));
  if (random.Chance(0.6)) Autoregress(StationaryCoefficients(random), absl::MakeSpan(values));
  Standardize(absl::MakeSpan(values));
  return values;
}

void AddBursts(Random& random, double size, absl::Span<double> values) {
  const double rate = random.LogUniform(0.5, 10) / 1000;
  const double memory = random.LogUniform(2, 60);
  const double keep = random.Chance(0.5) ? std::exp(-1 / memory) : 1;  // decays, or stays until the end
  const double sign = random.Chance(0.8) ? 1 : -1;
  double level = 0;
  for (double& value : values) {
    if (random.Chance(rate)) level += sign * size * random.Uniform(1, 6);
    // A level that does not decay ends by chance, after `memory` values on average.
    value += level;
    level *= keep == 1 && random.Chance(1 / memory) ? 0 : keep;
  }
}

void AddSpikes(Random& random, double size, absl::Span<double> values) {
  const double rate = random.LogUniform(1, 20) / 1000;
  const bool both_signs = random.Chance(0.4);
  for (double& value : values) {
    if (!random.Chance(rate)) continue;
    const double sign = both_signs && random.Chance(0.5) ? -1 : 1;
    value += sign * size * random.Uniform(2, 12);
  }
}

void AddGlitches(Random& random, double size, absl::Span<double> values) {
  const int count = 1 + random.Below(3);
  // From 30 deviations on, a value is about beyond the reach of the running statistics (rule 1.4).
  const double error = (random.Chance(0.5) ? size : -size) * random.LogUniform(30, 1e6);
  for (int i = 0; i < count; ++i) {
    const size_t begin = random.Below(static_cast<int>(values.size()));
    const size_t end = std::min(values.size(), begin + 1 + random.Below(3));
    for (size_t t = begin; t < end; ++t) values[t] = error;
  }
}

}  // namespace aaren::forecasting
