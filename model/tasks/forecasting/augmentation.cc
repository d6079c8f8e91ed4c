#include "model/tasks/forecasting/augmentation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/types/span.h"
#include "model/tasks/forecasting/parts/noise.h"
#include "model/tasks/forecasting/parts/trend.h"

namespace aaren::forecasting {
namespace {

using Values = std::vector<double>;

// The moments of the values present; all 0 if no value is present.
struct Moments {
  double mean = 0, deviation = 0, least = 0;
};

Moments MomentsOf(const Values& values) {
  double count = 0, sum = 0, squares = 0, least = std::numeric_limits<double>::infinity();
  for (const double value : values) {
    if (std::isnan(value)) continue;
    ++count;
    sum += value;
    least = std::min(least, value);
  }
  if (count == 0) return {};
  for (const double value : values) squares += std::isnan(value) ? 0 : (value - sum / count) * (value - sum / count);
  return {.mean = sum / count, .deviation = std::sqrt(squares / count), .least = least};
}

int Place(Random& random, const Values& values) { return random.Below(static_cast<int>(values.size())); }

// The begin and end of a random stretch, which lasts to the end of the series with probability `for_good`.
std::pair<int, int> Stretch(Random& random, const Values& values, double for_good) {
  const int size = static_cast<int>(values.size()), begin = random.Below(size);
  return {begin, random.Chance(for_good) ? size : begin + 1 + random.Below(size - begin)};
}

double QuantileOf(Values values, double level) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<int>(level * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void ShiftLevel(Random& random, Values& values) {
  const Moments moments = MomentsOf(values);
  const int times = 1 + random.Below(3);
  for (int i = 0; i < times; ++i) {
    const auto [begin, end] = Stretch(random, values, 0.5);
    // Both numbers are drawn for every series, so later draws do not depend on the sign of the values.
    const double factor = random.LogUniform(0.4, 2.5), shift = 1.5 * moments.deviation * random.Normal();
    for (int t = begin; t < end; ++t) values[t] = moments.least >= 0 ? factor * values[t] : values[t] + shift;
  }
}

// Changes the amplitude at once from some moment on, or slowly up and down all along.
void ChangeAmplitude(Random& random, Values& values) {
  const Moments moments = MomentsOf(values);
  const double center = moments.least >= 0 ? 0 : moments.mean;
  if (random.Chance(0.5)) {
    const auto [begin, end] = Stretch(random, values, 0.6);
    const double factor = random.LogUniform(0.3, 3);
    for (int t = begin; t < end; ++t) values[t] = center + factor * (values[t] - center);
    return;
  }
  const int size = static_cast<int>(values.size());
  const double strength = random.Uniform(0.1, 0.6);
  const Values path = MeanReverting(random, size, random.LogUniform(100, 3000));
  for (int t = 0; t < size; ++t) values[t] = center + std::exp(strength * path[t]) * (values[t] - center);
}

void Grow(Random& random, Values& values) {
  const Moments moments = MomentsOf(values);
  const double growth = 0.7 * random.Normal(), size = static_cast<double>(values.size());
  for (size_t t = 0; t < values.size(); ++t) {
    const double share = static_cast<double>(t) / size;
    values[t] =
        moments.least >= 0 ? values[t] * std::exp(growth * share) : values[t] + 3 * growth * share * moments.deviation;
  }
}

// One to four times, only zeros or the least value arrive for a while.
void BreakDown(Random& random, Values& values) {
  const Moments moments = MomentsOf(values);
  const int times = 1 + random.Below(4);
  const double bottom = random.Chance(0.7) ? std::min(0.0, moments.least) : moments.least;
  for (int i = 0; i < times; ++i) {
    const size_t begin = Place(random, values), end = begin + static_cast<size_t>(random.LogUniform(1, 60));
    for (size_t t = begin; t < std::min(end, values.size()); ++t) values[t] = bottom;
  }
}

void Stick(Random& random, Values& values) {
  const size_t begin = Place(random, values), end = begin + static_cast<size_t>(random.LogUniform(3, 200));
  for (size_t t = begin; t < std::min(end, values.size()); ++t) values[t] = values[begin];
}

void Clip(Random& random, Values& values) {
  const double low = QuantileOf(values, random.Chance(0.5) ? random.Uniform(0, 0.5) : 0);
  const double high = random.Chance(0.5) ? QuantileOf(values, random.Uniform(0.6, 1)) : low;
  for (double& value : values) {
    value = std::max(value, low);
    if (high > low) value = std::min(value, high);
  }
}

void Hold(Random& random, Values& values) {
  const int step = 2 + random.Below(11);
  const bool regular = random.Chance(0.5);
  double held = values[0];
  for (size_t t = 0; t < values.size(); ++t) {
    if (regular ? t % step == 0 : random.Chance(1.0 / step)) held = values[t];
    values[t] = held;
  }
}

void Round(Random& random, Values& values) {
  const double grid = MomentsOf(values).deviation * random.LogUniform(0.02, 0.7);
  for (double& value : values) value = grid > 0 ? grid * std::round(value / grid) : value;
}

// A clock that runs up to a few per cent fast and slow; whole numbers stay whole.
void Warp(Random& random, Values& values) {
  const int size = static_cast<int>(values.size());
  const Values speed = MeanReverting(random, size, random.LogUniform(100, 3000));
  const double strength = random.LogUniform(0.002, 0.05);
  const bool nearest =
      std::all_of(values.begin(), values.end(), [](double value) { return value == std::round(value); });
  Values times(size), warped(size);
  // Three deviations at most: the clock stays within 16 % of its speed (exp(0.15)).
  for (int t = 1; t < size; ++t) times[t] = times[t - 1] + std::exp(strength * std::clamp(speed[t], -3.0, 3.0));
  // The warped series ends where the series ends, so the length stays.
  const double stretch = (size - 1) / std::max(1.0, times[size - 1]);
  for (int t = 0; t < size; ++t) {
    const double at = stretch * times[t];
    const int before = std::min(static_cast<int>(at), size - 1), after = std::min(before + 1, size - 1);
    const double share = nearest ? std::round(at - before) : at - before;
    // Without the first case, 0 times a missing neighbour would make a present value missing.
    warped[t] = share == 0 ? values[before] : values[before] + share * (values[after] - values[before]);
  }
  values = std::move(warped);
}

// From some moment on the series is far away and on another scale: a counter that restarts, another unit or sensor.
void Relocate(Random& random, Values& values) {
  const double deviation = MomentsOf(values).deviation, gain = random.LogUniform(0.1, 10);
  // From 30 deviations on, a jump is about as far as the reach of the running statistics (rule 1.4).
  const double shift = (random.Chance(0.5) ? deviation : -deviation) * random.LogUniform(30, 1e5);
  for (size_t t = Place(random, values); t < values.size(); ++t) values[t] = shift + gain * values[t];
}

}  // namespace

void LoseRows(Random& random, int lost, Values& values) {
  for (int left = lost; left > 0;) {
    const int count = random.Chance(0.5) ? left : 1 + random.Below(left);
    const auto begin = values.begin() + random.Below(static_cast<int>(values.size()) - count + 1);
    values.erase(begin, begin + count);
    left -= count;
  }
}

void Augment(Random& random, Values& values) {
  // The order runs from the thing to the measurement: a sensor clips and rounds a value that bursts and growth have
  // made.
  if (random.Chance(0.03)) Warp(random, values);
  if (random.Chance(0.05)) ChangeAmplitude(random, values);
  if (random.Chance(0.05)) ShiftLevel(random, values);
  if (random.Chance(0.03)) Grow(random, values);
  if (random.Chance(0.03)) AddBursts(random, MomentsOf(values).deviation, absl::MakeSpan(values));
  if (random.Chance(0.05)) AddSpikes(random, MomentsOf(values).deviation, absl::MakeSpan(values));
  if (random.Chance(0.04)) BreakDown(random, values);
  if (random.Chance(0.02)) Stick(random, values);
  if (random.Chance(0.05)) Clip(random, values);
  if (random.Chance(0.03)) Hold(random, values);
  if (random.Chance(0.06)) Round(random, values);
  if (random.Chance(0.02)) AddGlitches(random, MomentsOf(values).deviation, absl::MakeSpan(values));
  if (random.Chance(0.015)) Relocate(random, values);
  if (!random.Chance(0.3)) return;
  const double unit = random.LogUniform(1e-3, 1e3);
  for (double& value : values) value *= unit;
}

void RemoveStretches(Random& random, Values& values) {
  const double mean_gap = random.Chance(0.3) ? 1 : random.LogUniform(1, 100), share = random.LogUniform(0.01, 0.3);
  // A chain of two states: gaps last `mean_gap` values on average, and share / (1 + share) of all values are missing.
  const double start = share / mean_gap, end = 1 / mean_gap;
  bool missing = false;
  for (double& value : values) {
    missing = missing ? !random.Chance(end) : random.Chance(start);
    if (missing) value = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace aaren::forecasting
