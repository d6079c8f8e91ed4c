#include "tests/model/specification/series/series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/model/specification/arithmetic.h"

namespace aaren::specification {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 1.19, 1.20
float Step(double range) {
  if (range == 0) return 0;
  double step = 0x1p-126;
  while (step < range / 65534) step *= 2;
  return static_cast<float>(step);
}

}  // namespace

double Arriving(double value) {
  return std::fabs(value) < double{1e-27f} ? 0.0 : Clamp(value, -double{1e30f}, double{1e30f});
}

Series::Series(int history) : N(history), typical_low(-kInfinity), typical_high(kInfinity) {
  std::fill(std::begin(recent), std::end(recent), kMissing);
  std::fill(std::begin(codes), std::end(codes), uint16_t{65535});
}

float Series::Relative(double x) const { return std::isnan(x) ? kMissing : ToForecast(x - origin); }

void Series::SetOrigin(double x) {
  if (n == 0 && !std::isnan(x)) origin = x;
}

double Series::Move() {
  if ((t + 1) % 48 != 0 || t < 0) return 0;
  float least = kMissing, largest = kMissing, newest = kMissing;
  for (float x : recent) {
    least = std::fmin(least, x);
    largest = std::fmax(largest, x);
    if (!Missing(x)) newest = x;
  }
  const double level = std::min(std::fabs(double{least}), std::fabs(double{largest}));
  if (!(level > 64 * (double{largest} - least)) || !(level > 4 * std::sqrt(variance))) return 0;
  const double before = origin;
  origin = origin + newest;
  const double distance = origin - before;
  mean = mean - distance;
  for (float& x : recent) x = Shifted(x, distance);
  for (int64_t block = 0; block < std::min<int64_t>((t + 1) / 48, 31); ++block) {
    low[block] = Shifted(low[block], distance);
  }
  typical_low = static_cast<float>(typical_low - distance);
  typical_high = static_cast<float>(typical_high - distance);
  return distance;
}

Thinning Series::FindThinning() const {
  std::vector<int64_t> tokens;  // the newest values' tokens
  for (int64_t token = t; token > t - 192 && tokens.size() < 12; --token) {
    if (!Missing(Seen(token))) tokens.push_back(token);
  }
  if (tokens.size() < 12) return {};
  int64_t every = 0;
  for (size_t i = 1; i < tokens.size(); ++i) every = std::gcd(every, tokens[i - 1] - tokens[i]);
  if (every > 16) return {};
  return {every, (t - tokens[0]) % every};
}

void Series::Take(int64_t token, float x) {
  t = token;
  TakeStatistics(x);
  reach_low_ = static_cast<float>(mean - Reach());
  reach_high_ = static_cast<float>(mean + Reach());
  recent[t % 48] = x;             // 1.15
  if (t % 48 == 47) FillBlock();  // 1.16
}

double Series::Reach() const { return n < 32 || variance == 0 ? kInfinity : 32 * std::sqrt(variance); }

void Series::TakeStatistics(float x) {
  if (Missing(x)) return;  // 1.5
  double delta = x - mean;
  const double reach = Reach();
  if (std::fabs(delta) <= reach) {
    far = 0;  // 1.7
  } else if (far < 3) {
    ++far;  // 1.8
    delta = std::copysign(reach, delta);
  }
  n = std::min<uint32_t>(n + 1, N);
  const double s = delta / n;
  mean = mean + s;
  variance = variance + (delta * (delta - s) - variance) / n;
}

float Series::Reached(float x) const { return Clamp(x, reach_low_, reach_high_); }

void Series::FillBlock() {
  const int64_t place = t / 48 % 31;  // 1.24
  float values[48], least = kMissing, largest = kMissing;
  for (int i = 0; i < 48; ++i) {
    values[i] = Reached(recent[i]);
    least = std::fmin(least, values[i]);  // std::fmin of a NaN and a number is the number
    largest = std::fmax(largest, values[i]);
  }
  low[place] = least;                                                                     // 1.17
  step[place] = Missing(least) ? 0 : Step(static_cast<double>(largest) - double{least});  // 1.18
  for (int i = 0; i < 48; ++i) {
    uint16_t code = 65535;              // 1.22
    if (!Missing(values[i])) code = 0;  // 1.21
    if (code == 0 && step[place] != 0) {
      code = static_cast<uint16_t>(std::floor((double{values[i]} - low[place]) / step[place] + 0.5));
    }
    codes[place * 48 + i] = code;
  }
  FindTypicalRange();
}

void Series::FindTypicalRange() {
  std::vector<float> lows, highs;
  for (int64_t block = 0; block < std::min<int64_t>(t / 48 + 1, 31); ++block) {
    if (Missing(low[block])) continue;
    lows.push_back(low[block]);
    highs.push_back(low[block] + 65534.0f * step[block]);
  }
  typical_low = -kInfinity;
  typical_high = kInfinity;
  if (lows.empty()) return;
  std::sort(lows.begin(), lows.end());
  std::sort(highs.begin(), highs.end());
  const size_t k = (lows.size() + 6) / 10;
  const float a = lows[k], b = highs[highs.size() - 1 - k];
  typical_low = a - (b - a);
  typical_high = b + (b - a);
}

float Series::Decoded(int64_t token) const {
  const uint16_t code = codes[token % 1488];
  const int64_t place = token / 48 % 31;
  return code == 65535 ? kMissing : std::fma(step[place], static_cast<float>(code), low[place]);
}

float Series::Seen(int64_t token) const {
  if (token < 0 || token > t) return kMissing;
  const bool full = token / 48 < (t + 1) / 48;
  return Reached(full ? Decoded(token) : recent[token % 48]);
}

}  // namespace aaren::specification
