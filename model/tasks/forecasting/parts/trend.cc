#include "model/tasks/forecasting/parts/trend.h"

#include <cmath>

namespace aaren::forecasting {
namespace {

// Straight pieces with a new slope at every bend; without bends a line.
std::vector<double> Pieces(Random& random, int length, double bends) {
  std::vector<double> values(length);
  double slope = random.Normal(), level = 0;
  for (double& value : values) {
    if (random.Chance(bends / length)) slope = random.Normal();
    value = level += slope;
  }
  return values;
}

std::vector<double> Walk(Random& random, int length, double smoothness) {
  std::vector<double> values(length);
  double slope = 0, level = 0;
  for (double& value : values) {
    slope = smoothness * slope + random.Normal();
    value = level += slope;
  }
  return values;
}

std::vector<double> LevelShifts(Random& random, int length) {
  std::vector<double> values(length);
  const double rate = random.LogUniform(1, 12) / length;
  double level = 0;
  for (double& value : values) {
    if (random.Chance(rate)) level = random.Chance(0.5) ? random.Normal() : level + random.Normal();
    value = level;
  }
  return values;
}

std::vector<double> AnyTrend(Random& random, int length) {
  switch (random.Below(8)) {
    case 0:
      return Pieces(random, length, 0);
    case 1:
      return Pieces(random, length, random.Uniform(1, 8));
    case 2:
      return Walk(random, length, 0);
    case 3:
      return Walk(random, length, random.Uniform(0.9, 0.999));
    case 4:
      return LevelShifts(random, length);
    case 5:
      return MeanReverting(random, length, random.LogUniform(5, 30));
    case 6:
      return MeanReverting(random, length, random.LogUniform(30, 200));
    default:
      return MeanReverting(random, length, random.LogUniform(200, 2000));
  }
}

}  // namespace

std::vector<double> RandomTrend(Random& random, int length) {
  std::vector<double> values = AnyTrend(random, length);
  Standardize(absl::MakeSpan(values));
  return values;
}

std::vector<double> MeanReverting(Random& random, int length, double memory) {
  const double keep = std::exp(-1 / memory), fresh = std::sqrt(1 - keep * keep);
  std::vector<double> values(length);
  double level = random.Normal();
  for (double& value : values) value = level = keep * level + fresh * random.Normal();
  return values;
}

void Standardize(absl::Span<double> values) {
  double mean = 0, variance = 0;
  for (double value : values) mean += value / values.size();
  for (double value : values) variance += (value - mean) * (value - mean) / values.size();
  const double gain = variance > 1e-20 ? 1 / std::sqrt(variance) : 0;
  for (double& value : values) value = (value - mean) * gain;
}

}  // namespace aaren::forecasting
