// Processes whose intervals follow from a law and a hidden state: without clocks, and without memory of single events.

#include <algorithm>
#include <cmath>

#include "model/tasks/events/processes/law.h"
#include "model/tasks/events/processes/process.h"

namespace aaren::events {

double TenTo(Random& random, double low, double high) { return std::pow(10, random.Uniform(low, high)); }

Drawn PoissonProcess(Random& random, int gaps) {
  Drawn drawn;
  for (int i = 0; i < gaps; ++i) drawn.gaps.push_back(random.Exponential());
  return drawn;
}

Drawn Renewal(Random& random, int gaps) {
  const Law law = Law::Any(random);
  Drawn drawn;
  for (int i = 0; i < gaps; ++i) drawn.gaps.push_back(law.Draw(random));
  return drawn;
}

// Logarithms of intervals are a slow autoregression, with a fast one of either sign in half of all cases, and noise.
Drawn Autoregression(Random& random, int gaps) {
  const double keep = 1 - TenTo(random, -2.3, -0.2), deviation = TenTo(random, -0.5, 0.5);
  const bool has_fast = random.Chance(0.5);
  const double fast_keep = random.Uniform(-0.95, 0.95), fast_deviation = has_fast ? TenTo(random, -0.5, 0.3) : 0;
  const double noise = random.Chance(0.5) ? TenTo(random, -1, 0) : 0;
  double slow = random.Normal(), fast = random.Normal();
  Drawn drawn;
  for (int i = 0; i < gaps; ++i) {
    drawn.gaps.push_back(std::exp(deviation * slow + fast_deviation * fast + noise * random.Normal()));
    slow = keep * slow + std::sqrt(1 - keep * keep) * random.Normal();
    fast = fast_keep * fast + std::sqrt(1 - fast_keep * fast_keep) * random.Normal();
  }
  return drawn;
}

// A law whose scale changes: on a ramp, with age, or in jumps.
Drawn Drift(Random& random, int gaps) {
  const Law law = Law::Any(random);
  const int kind = random.Below(3);
  const double ramp = random.Uniform(-4, 4), ageing = random.Uniform(-1, 1), jump = TenTo(random, -2.2, -1);
  const double size = random.Uniform(0.5, 3);
  double level = 0;
  Drawn drawn;
  for (int i = 0; i < gaps; ++i) {
    if (kind == 0) level = ramp * i / gaps;
    if (kind == 1) level = ageing * std::log(1.0 + i);
    if (kind == 2 && random.Chance(jump)) level = size * random.Normal();
    drawn.gaps.push_back(std::exp(level) * law.Draw(random));
  }
  return drawn;
}

Drawn Regimes(Random& random, int gaps) {
  const int count = 2 + random.Below(3);
  const double change = TenTo(random, -2.2, -0.2), spread = random.Uniform(0.5, 3);
  std::vector<Law> laws;
  std::vector<double> scales;
  for (int k = 0; k < count; ++k) {
    laws.push_back(Law::Any(random));
    scales.push_back(std::exp(spread * random.Normal()));
  }
  int state = random.Below(count);
  Drawn drawn;
  for (int i = 0; i < gaps; ++i) {
    if (random.Chance(change)) state = (state + 1 + random.Below(count - 1)) % count;
    drawn.gaps.push_back(scales[state] * laws[state].Draw(random));
  }
  return drawn;
}

// Bursts of short intervals between pauses; some pauses belong to a third level.
Drawn Bursts(Random& random, int gaps) {
  const double mean = TenTo(random, 0.1, 1.6), pause = std::exp(random.Uniform(1.5, 10));
  const double longer = std::exp(random.Uniform(1.5, 5)), third = random.Chance(0.4) ? random.Uniform(0.05, 0.3) : 0;
  const bool heavy = random.Chance(0.4);
  const double tail = random.Uniform(1.1, 2.5);
  const Law within = Law::Any(random), between = Law::Any(random);
  Drawn drawn;
  int left = random.Below(static_cast<int>(mean) + 1);
  for (int i = 0; i < gaps; ++i, --left) {
    if (left > 0) {
      drawn.gaps.push_back(within.Draw(random));
      continue;
    }
    drawn.gaps.push_back(pause * (random.Chance(third) ? longer : 1) * between.Draw(random));
    const double length =
        heavy ? mean * (tail - 1) / tail * std::pow(1 - random.Uniform(), -1 / tail) : mean * random.Exponential();
    left = 1 + static_cast<int>(std::min(length, 1e4));
  }
  return drawn;
}

// Marks are a chain, and the interval's law is the mark's.
Drawn SemiMarkov(Random& random, int gaps) {
  const int count = 2 + random.Below(22);
  const double spread = random.Uniform(0.3, 2.5), sharpness = random.LogUniform(0.05, 1), sameness = random.Uniform();
  std::vector<std::vector<double>> steps(count, std::vector<double>(count));
  std::vector<Law> laws;
  std::vector<double> scales;
  const Law shared = Law::Any(random);
  for (int k = 0; k < count; ++k) {
    for (double& weight : steps[k]) weight = random.Gamma(sharpness) + 1e-9;
    laws.push_back(random.Chance(sameness) ? shared : Law::Any(random));
    scales.push_back(std::exp(spread * random.Normal()));
  }
  Drawn drawn;
  int mark = random.Below(count);
  drawn.marks.push_back(mark);
  for (int i = 0; i < gaps; ++i) {
    drawn.gaps.push_back(scales[mark] * laws[mark].Draw(random));
    double whole = 0;
    for (const double weight : steps[mark]) whole += weight;
    double at = whole * random.Uniform();
    int next = 0;
    while (next + 1 < count && (at -= steps[mark][next]) >= 0) ++next;
    mark = next;
    drawn.marks.push_back(mark);
  }
  return drawn;
}

}  // namespace aaren::events
