// Exponential smoothing, run forwards. Every innovation moves the level, the slope and the season by a share of its
// own, so no two seasons are equal. The size of an innovation depends on the phase and on the level.

#include <algorithm>
#include <cmath>

#include "model/tasks/forecasting/families/draws.h"
#include "model/tasks/forecasting/parts/process.h"
#include "model/tasks/forecasting/parts/profile.h"

namespace aaren::forecasting {
namespace {

constexpr int kSeasons[] = {1, 4, 7, 7, 12, 12, 24, 24, 24, 48, 48, 96, 96, 144, 168, 168, 288, 336, 672};

// The share of an innovation that each state takes.
struct Shares {
  double level = 0, slope = 0, season = 0, damping = 1;
};

Shares RandomShares(Random& random) {
  Shares shares = {.level = random.LogUniform(0.001, 0.8)};
  if (random.Chance(0.3)) shares.slope = shares.level * random.LogUniform(0.001, 0.1);
  shares.damping = random.Uniform(0.9, 0.998);
  shares.season = random.LogUniform(0.01, 0.6);
  return shares;
}

// Deviations by phase: equal in some series, in others large at some hours and small at others.
Profile RandomDeviations(Random& random, int season) {
  Profile deviations = RandomProfile(random, season);
  const double quiet = random.Chance(0.4) ? 1 : random.LogUniform(0.05, 1);
  for (double& deviation : deviations) deviation = quiet + (1 - quiet) * deviation;
  return deviations;
}

}  // namespace

Series DrawSmoothing(Random& random, int length) {
  const int season = std::min(kSeasons[random.Below(std::size(kSeasons))], std::max(1, length / 3));
  const Shares shares = RandomShares(random);
  const Profile deviations = RandomDeviations(random, season);
  Profile states = RandomProfile(random, season);
  const double noise = random.LogUniform(0.01, 0.3), by_level = random.Chance(0.4) ? random.Uniform(0.3, 1) : 0;
  const bool multiplies = random.Chance(0.35);  // the season is multiplied by the level
  const double home = random.Uniform(1, 4), pull = random.LogUniform(1e-5, 1e-2), lasting = random.Uniform(0, 0.6);
  double level = home, slope = 0, last = 0;
  for (double& state : states) state -= 0.5;
  const double around = std::max(1, season);
  const double day_share = season > 1 && random.Chance(0.4) ? random.Uniform(0.1, 0.5) : 0;  // a lasting effect
  Reverting day(random, random.LogUniform(0.5, 3) * around);
  Series values(length);
  for (int t = 0; t < length; ++t) {
    double& state = states[t % season];
    const double gain = multiplies ? std::max(0.1, level / home) : 1;
    const double expected = level + slope + gain * state;
    double size = noise * deviations[t % season];
    if (by_level > 0) size *= std::pow(std::clamp(expected / home, 0.05, 5.0), by_level);
    const double fresh = size * random.Normal();
    last = lasting * last + fresh;
    values[t] = expected + last + (day_share > 0 ? day_share * gain * day.Next(random) : 0);
    // The pull to `home` bounds the level of a long series.
    level += slope + shares.level * fresh - pull * (level - home);
    slope = shares.damping * slope + shares.slope * fresh;
    // The innovation is in values and the state in units of the level, hence the division.
    state = (1 - 1e-3) * state + shares.season * fresh / gain;
  }
  return values;
}

}  // namespace aaren::forecasting
