// Markets: prices with an unpredictable next step, and volumes with a memory at every scale.

#include <algorithm>
#include <array>
#include <cmath>

#include "model/tasks/forecasting/families/draws.h"
#include "model/tasks/forecasting/parts/process.h"

namespace aaren::forecasting {

Series DrawWalk(Random& random, int length) {
  const bool heavy = random.Chance(0.7), geometric = random.Chance(0.65);
  const double freedom = random.Uniform(2.5, 8), wild = random.Chance(0.7) ? random.Uniform(0.2, 0.7) : 0;
  const double step = random.LogUniform(0.0003, 0.025), drift = random.Chance(0.4) ? 0.05 * step * random.Normal() : 0;
  const double pull = 1 / (random.Chance(0.3) ? random.LogUniform(300, 10000) : 20000);  // back to the start
  const double bounce = random.Chance(0.3) ? random.Uniform(0.05, 0.4) * step : 0;       // between bid and ask
  const double still = random.Chance(0.25) ? random.Uniform(0.02, 0.4) : 0;              // no trade, no change
  const double jump = random.Chance(0.2) ? random.LogUniform(0.0003, 0.005) : 0;
  const double unit = random.LogUniform(0.5, 5000), grid = random.Chance(0.5) ? 0.01 * unit * step : 0;
  Reverting quick(random, random.LogUniform(5, 40)), slow(random, random.LogUniform(50, 1000));
  double x = 0;
  Series values(length);
  for (double& value : values) {
    double size = step;
    if (wild > 0) size *= std::exp(wild * slow.Next(random));
    if (wild > 0) size *= std::exp(0.6 * wild * quick.Next(random));
    if (still == 0 || !random.Chance(still)) {
      const double z = heavy ? std::clamp(random.StudentT(freedom), -25.0, 25.0) : random.Normal();
      x += drift + size * z - pull * x;
    }
    if (jump > 0 && random.Chance(jump)) x += 15 * step * random.Normal();
    // exp(8) times the largest unit is 1.5e7, below the 1e9 of family.h.
    const double seen = std::clamp(x + (bounce > 0 ? bounce * random.Normal() : 0), -8.0, 8.0);
    value = OnGrid(unit * (geometric ? std::exp(seen) : 1 + seen), grid);
  }
  return values;
}

Series DrawVolume(Random& random, int length) {
  std::array<Reverting, 4> scales = {
      Reverting(random, random.LogUniform(1.5, 8)), Reverting(random, random.LogUniform(8, 40)),
      Reverting(random, random.LogUniform(60, 300)), Reverting(random, random.LogUniform(500, 4000))};
  std::array<double, 4> gains;
  for (double& gain : gains) gain = random.Uniform(0, 0.5);
  const double white = random.LogUniform(0.02, 0.5), spike = random.Chance(0.5) ? random.LogUniform(0.002, 0.03) : 0;
  const bool weekly = random.Chance(0.4), logarithm = random.Chance(0.2), whole = random.Chance(0.4);
  const int days = random.Chance(0.7) ? 5 : 7;
  std::array<double, 7> weekdays;
  const double uneven = weekly ? random.Uniform(0.02, 0.2) : 0;
  for (double& gain : weekdays) gain = uneven * random.Normal();
  const double growth = random.Chance(0.3) ? 3e-4 * random.Normal() : 0, unit = random.LogUniform(1, 1e5);
  const double most = std::log(1e8 / unit);
  Series values(length);
  for (int t = 0; t < length; ++t) {
    double x = white * random.Normal() + weekdays[t % days] + growth * t;
    for (size_t i = 0; i < scales.size(); ++i) x += gains[i] * scales[i].Next(random);
    if (spike > 0 && random.Chance(spike)) x += random.Exponential();
    x = std::min(x, most);
    values[t] = logarithm ? x : whole ? std::round(unit * std::exp(x)) : unit * std::exp(x);
  }
  return values;
}

}  // namespace aaren::forecasting
