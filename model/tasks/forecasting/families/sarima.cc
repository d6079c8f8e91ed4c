// Seasonal ARIMA with poles inside the unit circle, so that no path explodes. A series is one path, or the sum of two
// paths with different seasons.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "model/tasks/forecasting/families/draws.h"
#include "model/tasks/forecasting/parts/process.h"
#include "model/tasks/forecasting/parts/profile.h"
#include "model/tasks/forecasting/parts/trend.h"

namespace aaren::forecasting {
namespace {

// Two poles, a pair r exp(+-i w) or two real poles, and a zero of the moving average inside the circle.
class Section {
 public:
  explicit Section(Random& random) {
    const double zero = random.Chance(0.5) ? random.Uniform(-0.9, 0.9) : 0;
    if (random.Chance(0.5)) {
      const double radius = 1 - random.LogUniform(0.005, 0.7);
      const double angle = 2 * std::numbers::pi / random.LogUniform(2, 400);
      one_ = 2 * radius * std::cos(angle);
      two_ = -radius * radius;
    } else {
      const double p = 1 - random.LogUniform(0.005, 1.6), q = random.Uniform(-0.7, 0.7);
      one_ = p + q;
      two_ = -p * q;
    }
    zero_ = zero;
  }

  double Next(double input) {
    const double now = input + zero_ * input_ + one_ * last_ + two_ * before_;
    before_ = last_;
    input_ = input;
    return last_ = now;
  }

 private:
  double one_, two_, zero_, input_ = 0, last_ = 0, before_ = 0;
};

// Innovations: normal, heavy-tailed, or in bursts whose rate follows a slow path.
class Innovations {
 public:
  explicit Innovations(Random& random)
      : kind_(random.Below(4)), freedom_(random.Uniform(3, 9)), rate_(random, random.LogUniform(20, 500)) {
    rare_ = random.LogUniform(0.01, 0.3);
  }

  double Next(Random& random) {
    if (kind_ < 2) return random.Normal();
    if (kind_ == 2) return std::clamp(random.StudentT(freedom_), -20.0, 20.0);
    // A lognormal of deviation 1 has the mean exp(0.5), so the 0.5 keeps the mean rate of bursts at rare_.
    const bool bursts = random.Chance(rare_ * std::exp(rate_.Next(random) - 0.5));
    // A burst is larger the rarer bursts are: all innovations together have a variance near 1.
    return bursts ? random.Normal() / std::sqrt(rare_) : 0.15 * random.Normal();
  }

 private:
  int kind_;
  double freedom_, rare_ = 1;
  Reverting rate_;
};

// y_t = pole y_{t - season} + x_t + zero x_{t - season}. The first season is smooth and has the size that lasts.
void Seasonalize(Random& random, int season, double pole, double zero, Series& values) {
  const Profile first = RandomProfile(random, season);
  const double size = 2 / std::sqrt(1 - pole * pole) * random.LogUniform(0.5, 2);
  const int length = static_cast<int>(values.size());
  const Series input = zero == 0 ? Series() : values;
  for (int t = 0; t < length; ++t) {
    const double before = t < season ? size * (first[t] - 0.5) : values[t - season];
    values[t] += pole * before + (zero == 0 || t < season ? 0 : zero * input[t - season]);
  }
}

int RandomSeasonLength(Random& random, int length) {
  static constexpr int kSeasons[] = {4, 7, 7, 12, 12, 24, 24, 24, 48, 48, 52, 60, 96, 96, 144, 168, 288, 336};
  const int season =
      random.Chance(0.75) ? kSeasons[random.Below(std::size(kSeasons))] : static_cast<int>(random.LogUniform(4, 400));
  return std::max(2, std::min(season, length / 3));
}

// One path with mean 0 and deviation 1.
Series Path(Random& random, int length, int season) {
  std::vector<Section> sections(1 + random.Below(2), Section(random));
  for (size_t i = 1; i < sections.size(); ++i) sections[i] = Section(random);
  Innovations innovations(random);
  Series values(length);
  constexpr int kWarmUp = 200;  // steps in which the path forgets its start at zero
  for (int t = -kWarmUp; t < length; ++t) {
    double value = innovations.Next(random);
    for (Section& section : sections) value = section.Next(value);
    if (t >= 0) values[t] = value;
  }
  Standardize(absl::MakeSpan(values));
  if (season > 0) {
    const double pole = 1 - random.LogUniform(0.003, 0.6),
                 zero = random.Chance(0.4) ? -random.Uniform(0, 0.9) * pole : 0;
    Seasonalize(random, season, pole, zero, values);
  }
  Standardize(absl::MakeSpan(values));
  return values;
}

}  // namespace

Series DrawSarima(Random& random, int length) {
  const bool seasonal = random.Chance(0.85);
  Series values = Path(random, length, seasonal ? RandomSeasonLength(random, length) : 0);
  if (random.Chance(0.35)) {
    const double gain = random.LogUniform(0.2, 2);
    const Series other = Path(random, length, random.Chance(0.8) ? RandomSeasonLength(random, length) : 0);
    for (int t = 0; t < length; ++t) values[t] += gain * other[t];
  }
  if (random.Chance(0.35)) {  // integrated once, so that the level wanders too
    const double gain = random.LogUniform(0.01, 0.3), drift = random.Chance(0.3) ? 0.05 * random.Normal() : 0;
    Reverting steps(random, random.LogUniform(0.2, 5));
    double level = 0;
    for (double& value : values) value += level += gain * (steps.Next(random) + drift);
  }
  if (random.Chance(0.2)) {
    const double strength = random.Uniform(0.2, 0.8);
    for (double& value : values) value = std::exp(strength * std::clamp(value, -6.0, 6.0));
  }
  return values;
}

}  // namespace aaren::forecasting
