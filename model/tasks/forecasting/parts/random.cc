#include "model/tasks/forecasting/parts/random.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace aaren::forecasting {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): a Weyl sequence through a mixing function.
constexpr uint64_t kWeyl = 0x9e3779b97f4a7c15;

uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The density exp(-x^2 / 2) under layers of equal area (Marsaglia and Tsang 2000). edge[0] is the width of the lowest
// layer if that layer had no tail; the tail begins at kTail.
constexpr int kLayers = 256;
constexpr double kTail = 3.6541528853610088, kArea = 0.00492867323399;

struct Ziggurat {
  Ziggurat() {
    edge[0] = kArea * std::exp(0.5 * kTail * kTail);
    edge[1] = kTail;
    for (int i = 2; i < kLayers; ++i) {
      edge[i] = std::sqrt(-2 * std::log(kArea / edge[i - 1] + std::exp(-0.5 * edge[i - 1] * edge[i - 1])));
    }
    edge[kLayers] = 0;
    for (int i = 0; i <= kLayers; ++i) height[i] = std::exp(-0.5 * edge[i] * edge[i]);
  }
  double edge[kLayers + 1], height[kLayers + 1];
};

}  // namespace

// Seed and index are mixed apart before the sum, so neighbours of either give unrelated sequences.
Random::Random(uint64_t seed, uint64_t index) : state_(Mix(Mix(seed + kWeyl) + Mix(index * kWeyl + 1))) {}

uint64_t Random::Bits() { return Mix(state_ += kWeyl); }

double Random::Uniform() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }

double Random::Uniform(double low, double high) { return low + (high - low) * Uniform(); }

double Random::LogUniform(double low, double high) { return std::exp(Uniform(std::log(low), std::log(high))); }

// The product may round up to `count` itself.
int Random::Below(int count) { return std::min(static_cast<int>(Uniform() * count), count - 1); }

bool Random::Chance(double probability) { return Uniform() < probability; }

double Random::Normal() {
  static const Ziggurat ziggurat;
  while (true) {
    const uint64_t bits = Bits();
    const size_t layer = bits % kLayers;  // from bits that the place within the layer does not use
    const double at = static_cast<double>(bits >> 11) * 0x1p-52 - 1, x = at * ziggurat.edge[layer];
    if (std::fabs(x) < ziggurat.edge[layer + 1]) return x;
    if (layer == 0) return std::copysign(Tail(), x);
    // A layer is a rectangle from the curve's height at its outer edge to the height at its inner edge.
    const double height = Uniform(ziggurat.height[layer], ziggurat.height[layer + 1]);
    if (height < std::exp(-0.5 * x * x)) return x;
  }
}

// Marsaglia's method for the tail beyond the ziggurat.
double Random::Tail() {
  while (true) {
    const double beyond = Exponential() / kTail;
    if (2 * Exponential() > beyond * beyond) return kTail + beyond;
  }
}

// Bailey's polar form (1994): one radius and one angle for any freedom.
double Random::StudentT(double freedom) {
  const double spread = std::sqrt(freedom * (std::pow(1 - Uniform(), -2 / freedom) - 1));
  return spread * std::cos(2 * std::numbers::pi * Uniform());
}

// 1 - Uniform() is never 0, so the logarithm is finite.
double Random::Exponential() { return -std::log(1 - Uniform()); }

// Marsaglia and Tsang (2000): a cubed normal, sometimes rejected.
double Random::Gamma(double shape) {
  // The paper's way for small shapes: a gamma of a larger shape times a power of a uniform number.
  if (shape < 1) {
    const double larger = Gamma(shape + 1);
    return larger * std::pow(1 - Uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = Normal(), v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v > 0 && -Exponential() < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

int Random::Poisson(double mean) {
  // Above 15 the loop would take as many draws as the mean; the normal with a term for the skew takes a single draw.
  if (mean > 15) {
    const double z = Normal();
    return std::max(0, static_cast<int>(std::lround(std::min(mean + std::sqrt(mean) * z + (z * z - 1) / 6, 1e9))));
  }
  const double limit = std::exp(-mean);
  int count = 0;
  // Uniform factors until the product falls below exp(-mean) (Knuth).
  for (double product = Uniform(); product > limit; product *= Uniform()) ++count;
  return count;
}

int Random::NegativeBinomial(double mean, double shape) { return Poisson(mean / shape * Gamma(shape)); }

double Random::OneOf(std::initializer_list<double> choices) {
  return choices.begin()[Below(static_cast<int>(choices.size()))];
}

}  // namespace aaren::forecasting
