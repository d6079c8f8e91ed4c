// Series that pass from one regime to the next: Ornstein-Uhlenbeck processes with changing mean, speed and spread, and
// steps between levels.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "model/tasks/forecasting/families/draws.h"
#include "model/tasks/forecasting/parts/process.h"

namespace aaren::forecasting {
namespace {

struct Regime {
  double mean, keep, fresh;
};

Regime RandomRegime(Random& random) {
  const double memory = random.LogUniform(2, 400), spread = random.LogUniform(0.1, 1);
  const double keep = std::exp(-1 / memory), mean = random.Normal();
  // The factor makes `spread` the deviation of the path for any memory.
  return {.mean = mean, .keep = keep, .fresh = spread * std::sqrt(1 - keep * keep)};
}

// The next level: one of a few levels, or the next stair of a staircase that falls back, or a load switched on and off.
class Levels {
 public:
  explicit Levels(Random& random) : kind_(random.Below(3)), levels_(2 + random.Below(5)) {
    for (double& level : levels_) level = random.Uniform();
    height_ = random.LogUniform(0.02, 0.4);
    spread_ = random.Chance(0.5) ? 0 : random.LogUniform(0.02, 0.3);
  }

  double Next(Random& random, double now) {
    const double off = spread_ * random.Normal();
    if (kind_ == 0) return off + levels_[random.Below(static_cast<int>(levels_.size()))];
    if (kind_ == 1) return now > 1 ? 0 : now + height_ * random.Exponential();
    on_ = !on_;
    return on_ ? 1 + off : 0;
  }

 private:
  int kind_;
  std::vector<double> levels_;
  double height_, spread_;
  bool on_ = false;
};

}  // namespace

Series DrawOrnsteinUhlenbeck(Random& random, int length) {
  std::vector<Regime> regimes(1 + random.Below(4));
  for (Regime& regime : regimes) regime = RandomRegime(random);
  const double leave = 1 / random.LogUniform(30, 3000), period = random.LogUniform(6, 700);
  const double season = random.Chance(0.3) ? random.LogUniform(0.1, 1.5) : 0;
  const double jump = random.Chance(0.2) ? random.LogUniform(0.0005, 0.02) : 0;
  const double observed = random.Chance(0.4) ? random.LogUniform(0.01, 0.2) : 0;
  size_t now = 0;
  double x = regimes[0].mean;
  Series values(length);
  for (int t = 0; t < length; ++t) {
    if (random.Chance(leave)) now = random.Below(static_cast<int>(regimes.size()));
    const Regime& regime = regimes[now];
    x = regime.mean + regime.keep * (x - regime.mean) + regime.fresh * random.Normal();
    if (jump > 0 && random.Chance(jump)) x += 2 * random.Normal();
    values[t] = x;
    if (season > 0) values[t] += season * std::sin(2 * std::numbers::pi * t / period);
    if (observed > 0) values[t] += observed * random.Normal();
  }
  return values;
}

Series DrawSteps(Random& random, int length) {
  Levels levels(random);
  const bool scheduled = random.Chance(0.3);  // every so many values; else by chance
  const double stay = random.LogUniform(4, 400), noise = random.Chance(0.4) ? 0 : random.LogUniform(0.002, 0.1);
  const double follow = random.Chance(0.3) ? 1 / random.LogUniform(1, 8) : 1;  // slow to reach a level
  const double unit = random.LogUniform(0.5, 2000), grid = random.Chance(0.4) ? unit / random.LogUniform(5, 200) : 0;
  Reverting short_noise(random, random.LogUniform(0.2, 10));
  const int every = std::max(1, static_cast<int>(stay));
  const int start = random.Below(every);
  double level = levels.Next(random, 0), value = level;
  Series values(length);
  for (int t = 0; t < length; ++t) {
    if (scheduled ? (t + start) % every == 0 : random.Chance(1 / stay)) level = levels.Next(random, level);
    value += follow * (level - value);
    values[t] = OnGrid(unit * (value + (noise > 0 ? noise * short_noise.Next(random) : 0)), grid);
  }
  return values;
}

}  // namespace aaren::forecasting
