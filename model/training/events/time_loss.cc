#include "model/training/events/time_loss.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/engine/events/sizes.h"

namespace aaren::training {
namespace {

using enum events::TimeNumber;
using events::kComponents, events::kCopies, events::kLogNormals, events::kWeibulls;
using events::kLeastSpread;

constexpr float kMostStretch = 5;   // the engine's bound
constexpr double kMostHazard = 50;  // e^50 ends every Weibull
constexpr size_t kFirstCopy = kLogNormals + kWeibulls, kAfter = kComponents - 1;

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double Softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// A component's logarithm of density at z, and the derivatives of that logarithm.
struct Point {
  double log = 0, by_at = 0, by_spread = 0;
};

Point NormalPoint(double z, double at, double spread) {
  static const double kLogRoot = 0.5 * std::log(2 * std::numbers::pi);
  const double x = (z - at) / spread;
  return {.log = -0.5 * x * x - std::log(spread) - kLogRoot, .by_at = x / spread, .by_spread = (x * x - 1) / spread};
}

Point WeibullPoint(double z, double at, double spread) {
  const double u = (z - at) / spread, hazard = std::exp(std::min(u, kMostHazard)), rest = hazard - 1;
  return {.log = u - hazard - std::log(spread), .by_at = rest / spread, .by_spread = (rest * u - 1) / spread};
}

// The mixture of a token: the components, their shares, and the gradient at the head's numbers.
struct Mixture {
  const float* numbers;
  const EventTarget& target;
  float* gradient;
  std::array<Point, kComponents> points = {};
  std::array<double, kComponents> share = {};  // a component's, by the softmax; 0: absent

  bool Present(size_t k) const { return k < kFirstCopy || k == kAfter || target.places.present[k - kFirstCopy]; }

  double SpreadAt(size_t number) const { return kLeastSpread + Softplus(numbers[number]); }
  double AfterSpread() const {
    return target.places.deviation * std::exp(std::clamp(numbers[kAfterStretch], -kMostStretch, kMostStretch)) +
           kLeastSpread;
  }

  void Weigh() {
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (size_t k = 0; k < kComponents; ++k) {
      if (Present(k)) most = std::max<double>(most, numbers[kLogit + k]);
    }
    for (size_t k = 0; k < kComponents; ++k) {
      if (Present(k)) sum += share[k] = std::exp(numbers[kLogit + k] - most);
    }
    for (double& one : share) one /= sum;
  }

  void Place() {
    const double z = target.place;
    for (size_t j = 0; j < kLogNormals; ++j) {
      points[j] = NormalPoint(z, numbers[kNormalMean + j], SpreadAt(kNormalSpread + j));
    }
    for (size_t j = 0; j < kWeibulls; ++j) {
      points[kLogNormals + j] = WeibullPoint(z, numbers[kWeibullMean + j], SpreadAt(kWeibullSpread + j));
    }
    const double spread = SpreadAt(kCopySpread);
    for (size_t j = 0; j < kCopies; ++j) {
      if (target.places.present[j]) points[kFirstCopy + j] = NormalPoint(z, target.places.ring[j], spread);
    }
    points[kAfter] = NormalPoint(z, double{target.places.after} + numbers[kAfterShift], AfterSpread());
  }

  // Adds a component's part to the gradient; `part` is its part of the density.
  void Back(size_t k, double part) {
    const double by_at = -part * points[k].by_at, by_spread = -part * points[k].by_spread;
    const auto add = [this](size_t number, double by) { gradient[number] += static_cast<float>(by); };
    const auto add_spread = [&](size_t number) { add(number, by_spread * Sigmoid(numbers[number])); };
    gradient[kLogit + k] = static_cast<float>(share[k] - part);
    if (k < kLogNormals) {
      add(kNormalMean + k, by_at);
      add_spread(kNormalSpread + k);
    } else if (k < kFirstCopy) {
      add(kWeibullMean + k - kLogNormals, by_at);
      add_spread(kWeibullSpread + k - kLogNormals);
    } else if (k < kAfter) {
      add_spread(kCopySpread);
    } else {
      add(kAfterShift, by_at);
      const bool free = std::abs(numbers[kAfterStretch]) < kMostStretch;
      if (free) add(kAfterStretch, by_spread * (AfterSpread() - kLeastSpread));
    }
  }

  // The loss of an interval above 0, ties apart.
  double Loss() {
    Weigh();
    Place();
    std::array<double, kComponents> logs;
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (size_t k = 0; k < kComponents; ++k) {
      logs[k] = share[k] > 0 ? std::log(share[k]) + points[k].log : -std::numeric_limits<double>::infinity();
      most = std::max(most, logs[k]);
    }
    for (const double log : logs) sum += std::exp(log - most);
    for (size_t k = 0; k < kComponents; ++k) {
      if (share[k] > 0) Back(k, std::exp(logs[k] - most) / sum);
    }
    return -(most + std::log(sum));
  }
};

}  // namespace

double TimeLoss(const float* numbers, const EventTarget& target, float* gradient) {
  std::fill_n(gradient, kTimeNumbers, 0.0f);
  const double logit = numbers[kTieLogit];
  gradient[kTieLogit] = static_cast<float>(Sigmoid(logit) - (target.tie ? 1 : 0));
  if (target.tie) return Softplus(-logit);
  Mixture mixture = {.numbers = numbers, .target = target, .gradient = gradient};
  return Softplus(logit) + mixture.Loss();
}

}  // namespace aaren::training
