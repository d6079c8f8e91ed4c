#include "model/tasks/forecasting/synthetic.h"

#include <algorithm>
#include <cmath>

#include "model/tasks/forecasting/augmentation.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {
namespace {

constexpr double kLargest = 1e8;                      // largest magnitude; a larger series is scaled down
constexpr uint64_t kFamilySeed = 0x9d39247e33776d41;  // keeps the draw of the family apart from the draws of the series

const Family& AnyFamily(Random& random) { return Families()[random.Below(static_cast<int>(Families().size()))]; }

// Draws a series of the family; some series lose rows on the way.
std::vector<double> Draw(Random& random, const Family& family, int length) {
  const int lost = random.Chance(0.03) ? static_cast<int>(random.LogUniform(1, std::max(1.0, length / 10.0))) : 0;
  // Lost rows are drawn in addition, so the series keeps its length.
  std::vector<double> values = family.draw(random, length + lost);
  LoseRows(random, lost, values);
  if (family.reversible && random.Chance(0.15)) std::reverse(values.begin(), values.end());
  return values;
}

// Standardizes the values present to mean 0 and deviation 1; a constant becomes zeros.
void StandardizePresent(std::vector<double>& values) {
  double count = 0, mean = 0, squares = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    // Sums of deviations from the running mean (Welford) keep their digits for a series far from 0.
    const double delta = value - mean;
    mean += delta / ++count;
    squares += delta * (value - mean);
  }
  const double gain = squares > 0 ? std::sqrt(count / squares) : 0;
  for (double& value : values) value = (value - mean) * gain;
}

// Replaces the values by their mixture with another series, in any proportion.
void Mix(Random& random, std::vector<double>& values) {
  std::vector<double> other = Draw(random, AnyFamily(random), static_cast<int>(values.size()));
  const double share = random.Uniform(0.1, 0.9);
  // Families have units of their own; without a common scale, one series would vanish beside the other.
  StandardizePresent(values);
  StandardizePresent(other);
  for (size_t t = 0; t < values.size(); ++t) values[t] = share * values[t] + (1 - share) * other[t];
}

// Changes to another regime from some moment on, and sometimes back: level, amplitude and shape change at once.
void ChangeRegime(Random& random, std::vector<double>& values) {
  const int length = static_cast<int>(values.size()), begin = random.Below(length);
  const int end = random.Chance(0.4) ? begin + random.Below(length - begin) : length;
  std::vector<double> other = Draw(random, AnyFamily(random), length);
  StandardizePresent(values);
  StandardizePresent(other);
  const double gain = random.LogUniform(0.2, 3), shift = random.Normal(), keep = random.Chance(0.3) ? 1 : 0;
  for (int t = begin; t < end; ++t) values[t] = keep * values[t] + gain * other[t] + shift;
}

// Bounds the magnitude. Each family and each event keeps to plausible magnitudes, but a product of all may not.
void Bound(std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::isnan(value) ? 0 : std::fabs(value));
  if (largest <= kLargest) return;
  for (double& value : values) value *= kLargest / largest;
}

bool Present(double value) { return !std::isnan(value); }

}  // namespace

const Family& SyntheticFamily(uint64_t seed, uint64_t index) {
  Random random(seed ^ kFamilySeed, index);
  return AnyFamily(random);
}

std::vector<double> SyntheticSeries(uint64_t seed, uint64_t index, int length) {
  return SyntheticSeries(SyntheticFamily(seed, index), seed, index, length);
}

std::vector<double> SyntheticSeries(const Family& family, uint64_t seed, uint64_t index, int length) {
  Random random(seed, index);
  std::vector<double> values = Draw(random, family, length);
  if (random.Chance(0.04)) Mix(random, values);
  if (random.Chance(0.03)) ChangeRegime(random, values);
  Augment(random, values);
  Bound(values);
  // Gaps may swallow a short series whole, and a family may have drawn missing values only. One value is promised.
  const std::vector<double> whole = values;
  if (random.Chance(0.12)) RemoveStretches(random, values);
  if (std::none_of(values.begin(), values.end(), Present)) values = whole;
  if (std::none_of(values.begin(), values.end(), Present)) values[0] = 0;
  return values;
}

}  // namespace aaren::forecasting
