#include "model/tasks/forecasting/parts/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "model/tasks/forecasting/parts/trend.h"

namespace aaren::forecasting {
namespace {

constexpr int kCosines = 48;

// Adds gain * cos(frequency t + phase). A rotation step by step replaces the cosine and costs one multiplication.
void AddCosine(double gain, double frequency, double phase, std::vector<double>& values) {
  std::complex<double> turning = std::polar(gain, phase);
  const std::complex<double> turn = std::polar(1.0, frequency);
  for (double& value : values) {
    value += turning.real();
    turning *= turn;
  }
}

// A random angular frequency from the spectrum of a kernel that falls over `scale` values: normal for the squared
// exponential, Student's t for Matern, a normal of random scale for the rational quadratic.
double Frequency(Random& random, int kind, double scale, int freedom) {
  if (kind == 0) return random.Normal() / scale;
  if (kind == 1) return random.StudentT(freedom) / scale;
  return random.Normal() * std::sqrt(random.Exponential()) / scale;
}

std::vector<double> Stationary(Random& random, int length) {
  const int kind = random.Below(3), freedom = 1 + 2 * random.Below(3);  // Matern 1/2, 3/2 and 5/2
  const double scale = random.LogUniform(2, 1000);
  std::vector<double> values(length);
  for (int k = 0; k < kCosines; ++k) {
    // A frequency above pi looks like a lower frequency at whole steps, and would leave the kernel's spectrum.
    const double frequency = std::clamp(Frequency(random, kind, scale, freedom), -std::numbers::pi, std::numbers::pi);
    AddCosine(1, frequency, random.Uniform(0, 2 * std::numbers::pi), values);
  }
  return values;
}

// The periodic kernel's spectrum: harmonics of one period, which vanish faster for a smoother kernel.
std::vector<double> Periodic(Random& random, int length) {
  const double period = random.LogUniform(4, 700), smoothness = random.Uniform(0.5, 3);
  std::vector<double> values(length);
  // A harmonic of less than two values would look like a slower harmonic.
  const int harmonics = std::min(12, static_cast<int>(period / 2));
  for (int k = 1; k <= harmonics; ++k) {
    const double gain = random.Normal() * std::exp(-0.5 * smoothness * (k - 1));
    AddCosine(gain, 2 * std::numbers::pi * k / period, random.Uniform(0, 2 * std::numbers::pi), values);
  }
  return values;
}

}  // namespace

std::vector<double> RandomGaussianProcess(Random& random, int length) {
  const int parts = 1 + random.Below(4);
  std::vector<double> path;
  for (int i = 0; i < parts; ++i) {
    std::vector<double> part = random.Chance(0.4) ? Periodic(random, length) : Stationary(random, length);
    Standardize(absl::MakeSpan(part));
    if (path.empty()) path.resize(length, 0);
    const bool multiplies = i > 0 && random.Chance(0.4);
    const double gain = random.LogUniform(0.3, 2);
    for (int t = 0; t < length; ++t) path[t] = multiplies ? path[t] * (1 + gain * part[t]) : path[t] + gain * part[t];
  }
  Standardize(absl::MakeSpan(path));
  return path;
}

}  // namespace aaren::forecasting
