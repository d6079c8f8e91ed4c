#include "model/tasks/forecasting/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace aaren {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): a Weyl sequence through a mixing function.
constexpr uint64_t kWeyl = 0x9e3779b97f4a7c15;

uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(uint64_t seed, uint64_t index) : state_(Mix(Mix(seed + kWeyl) + Mix(index * kWeyl + 1))) {}

uint64_t Random::Bits() { return Mix(state_ += kWeyl); }

double Random::Uniform() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }

double Random::Uniform(double low, double high) { return low + (high - low) * Uniform(); }

double Random::LogUniform(double low, double high) { return std::exp(Uniform(std::log(low), std::log(high))); }

int Random::Below(int count) { return std::min(static_cast<int>(Uniform() * count), count - 1); }

bool Random::Chance(double probability) { return Uniform() < probability; }

double Random::Normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(2 * Exponential());
  const double angle = 2 * std::numbers::pi * Uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

double Random::StudentT(int freedom) {
  double sum = 0;
  for (int i = 0; i < freedom; ++i) {
    const double z = Normal();
    sum += z * z;
  }
  return Normal() / std::sqrt(sum / freedom + 1e-12);
}

double Random::Exponential() { return -std::log(1 - Uniform()); }

int Random::Poisson(double mean) {
  if (mean > 50) return std::max(0, static_cast<int>(std::lround(mean + std::sqrt(mean) * Normal())));
  const double limit = std::exp(-mean);
  int count = 0;
  for (double product = Uniform(); product > limit; product *= Uniform()) ++count;
  return count;
}

double Random::OneOf(std::initializer_list<double> choices) {
  return choices.begin()[Below(static_cast<int>(choices.size()))];
}

}  // namespace aaren
