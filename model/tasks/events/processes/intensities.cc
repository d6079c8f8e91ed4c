// Processes with an intensity that depends on a hidden path, or on the events so far.

#include <algorithm>
#include <cmath>

#include "model/tasks/events/processes/process.h"

namespace aaren::events {
namespace {

constexpr int kMostTries = 5000;  // candidates for an event; an unlikely path ends here

// A kernel of excitement: a sum of exponentials of integral 1.
struct Kernel {
  std::vector<double> rates, shares;

  static Kernel Any(Random& random) {
    const double slowest = TenTo(random, -1.5, 1.5);
    if (random.Chance(0.5)) return {.rates = {slowest}, .shares = {1}};
    // Four exponentials with time scales a factor apart look like a power law.
    const double factor = random.Uniform(3, 10), fall = random.Uniform(0.3, 1.2);
    Kernel kernel;
    double whole = 0;
    for (int k = 0; k < 4; ++k) {
      kernel.rates.push_back(slowest * std::pow(factor, k));
      kernel.shares.push_back(std::pow(factor, -fall * (3 - k)));
      whole += kernel.shares.back();
    }
    for (double& share : kernel.shares) share /= whole;
    return kernel;
  }
};

// Decaying excitement, a number for each exponential.
struct Excitement {
  explicit Excitement(const Kernel& kernel) : level(kernel.rates.size()) {}

  void Wait(const Kernel& kernel, double time) {
    for (size_t k = 0; k < level.size(); ++k) level[k] *= std::exp(-kernel.rates[k] * time);
  }
  void Add(const Kernel& kernel, double size) {
    for (size_t k = 0; k < level.size(); ++k) level[k] += size * kernel.shares[k] * kernel.rates[k];
  }
  double sum() const {
    double sum = 0;
    for (const double one : level) sum += one;
    return sum;
  }

  std::vector<double> level;
};

}  // namespace

// The rate is the exponential of an Ornstein-Uhlenbeck path, or on and off.
Drawn Cox(Random& random, int gaps) {
  const bool on_off = random.Chance(0.4);
  const double speed = TenTo(random, -2, 0.5), deviation = random.Uniform(0.3, 2), off = TenTo(random, -3, -0.5);
  const double step = std::min(0.25, 0.25 / speed), keep = std::exp(-speed * step);
  double path = random.Normal(), left = 0;
  bool on = true;
  Drawn drawn;
  for (int i = 0; i < gaps; ++i) {
    double need = random.Exponential(), gap = 0;
    for (int tries = 0; tries < kMostTries; ++tries) {
      if (left <= 0) {
        left = step;
        path = keep * path + std::sqrt(1 - keep * keep) * random.Normal();
        if (random.Chance(1 - keep)) on = !on;
      }
      const double rate = on_off ? (on ? 1 : off) : std::exp(deviation * path);
      const double part = std::min(left, need / rate);
      gap += part;
      left -= part;
      need -= part * rate;
      if (need <= 1e-12) break;
    }
    drawn.gaps.push_back(std::max(gap, 1e-9));
  }
  return drawn;
}

Drawn Hawkes(Random& random, int gaps) {
  const Kernel kernel = Kernel::Any(random);
  const double branching = random.Uniform(0.1, 0.93);
  Excitement excitement(kernel);
  Drawn drawn;
  for (int i = 0; i < gaps; ++i) {
    double gap = 0;
    for (int tries = 0; tries < kMostTries; ++tries) {
      const double most = 1 + excitement.sum(), wait = random.Exponential() / most;
      gap += wait;
      excitement.Wait(kernel, wait);
      if (random.Chance((1 + excitement.sum()) / most)) break;
    }
    excitement.Add(kernel, branching);
    drawn.gaps.push_back(gap);
  }
  return drawn;
}

// Two to eight kinds of events, each excited by a few kinds; the kinds are the marks.
Drawn ManyHawkes(Random& random, int gaps) {
  const int count = 2 + random.Below(7);
  const Kernel kernel = Kernel::Any(random);
  std::vector<std::vector<double>> size(count, std::vector<double>(count));  // [cause][effect]
  const double branching = random.Uniform(0.2, 0.95), sparse = random.Uniform(0.15, 0.7);
  std::vector<double> base(count);
  for (int cause = 0; cause < count; ++cause) {
    base[cause] = random.Gamma(0.7) + 1e-3;
    double whole = 1e-9;
    for (double& one : size[cause]) whole += one = random.Chance(sparse) ? random.Exponential() : 0;
    for (double& one : size[cause]) one *= branching / whole;
  }
  std::vector<Excitement> excitement(count, Excitement(kernel));
  const auto rate = [&](int kind) { return base[kind] + excitement[kind].sum(); };
  const auto rates = [&] {
    double whole = 0;
    for (int kind = 0; kind < count; ++kind) whole += rate(kind);
    return whole;
  };
  Drawn drawn;
  drawn.marks.push_back(random.Below(count));
  for (int i = 0; i < gaps; ++i) {
    for (int kind = 0; kind < count; ++kind) excitement[kind].Add(kernel, size[drawn.marks.back()][kind]);
    double gap = 0;
    for (int tries = 0; tries < kMostTries; ++tries) {
      const double most = rates(), wait = random.Exponential() / most;
      gap += wait;
      for (Excitement& one : excitement) one.Wait(kernel, wait);
      if (random.Chance(rates() / most)) break;
    }
    double at = rates() * random.Uniform();
    int next = 0;
    while (next + 1 < count && (at -= rate(next)) >= 0) ++next;
    drawn.gaps.push_back(gap);
    drawn.marks.push_back(next);
  }
  return drawn;
}

// An event makes the next event less likely for a while.
Drawn Inhibition(Random& random, int gaps) {
  const Kernel kernel = Kernel::Any(random);
  const double size = TenTo(random, -0.5, 1), least = TenTo(random, -3, -1);
  Excitement inhibition(kernel);
  Drawn drawn;
  for (int i = 0; i < gaps; ++i) {
    double gap = 0;
    for (int tries = 0; tries < kMostTries; ++tries) {
      const double wait = random.Exponential();
      gap += wait;
      inhibition.Wait(kernel, wait);
      if (random.Chance(std::max(1 - inhibition.sum(), least))) break;
    }
    inhibition.Add(kernel, size);
    drawn.gaps.push_back(gap);
  }
  return drawn;
}

}  // namespace aaren::events
