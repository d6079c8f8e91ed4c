#include "tests/model/specification/events/replies.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/model/specification/events/doubles.h"
#include "tests/model/specification/functions.h"

namespace aaren::specification::events {
namespace {

struct Component {
  bool weibull;
  float weight, at, spread;
};

struct Sums {
  float below = 0, slope = 0;
};

class Mixture {
 public:
  explicit Mixture(const Outlook& outlook);  // E12.1-E12.3

  Sums At(float z) const;           // E12.4-E12.6
  float Place(float wanted) const;  // E12.10-E12.12

 private:
  std::vector<Component> components_;
  float step_;
  Vector place_, below_;  // E12.9
};

Mixture::Mixture(const Outlook& outlook) {
  for (const bool weibull : {false, true}) {
    for (size_t k = 0; k < 25; ++k) {
      if ((k >= 4 && k < 8) != weibull || !(outlook.weight[k] > 1e-7f)) continue;
      components_.push_back({weibull, outlook.weight[k], outlook.at[k], outlook.spread[k]});
    }
  }
  float M = 0, Q = 0;
  for (const auto& [weibull, weight, at, spread] : components_) {
    const float m = weibull ? at + -0.5772157f * spread : at, v = weibull ? 1.644934f : 1.0f;
    M = M + weight * m;
    Q = Q + weight * (m * m + (v * spread) * spread);
  }
  const float reach = 2.5f * std::sqrt(std::max(Q - M * M, 0.0f));
  const float first = Clamp(M - reach, -40.0f, 39.0f), last = Clamp(M + reach, first + 1.0f, 40.0f);
  step_ = (last - first) / 15.0f;
  for (int i = 0; i < 16; ++i) {
    place_.push_back(first + step_ * static_cast<float>(i));
    below_.push_back(At(place_[i]).below);
  }
}

Sums Mixture::At(float z) const {
  Sums sums;
  for (const auto& [weibull, weight, at, spread] : components_) {
    const float inverse = 1.0f / spread, x = (z - at) * inverse;
    if (weibull) {
      const float e = Exp(std::min(x, 80.0f)), l = Exp(-e);
      sums.below = std::fma(weight, 1.0f - l, sums.below);
      sums.slope = std::fma(weight * inverse, e * l, sums.slope);
      continue;
    }
    const float t = 1.0f / std::fma(0.2316419f, std::fabs(x), 1.0f);
    float y = 1.330274429f;
    for (const float f : {-1.821255978f, 1.781477937f, -0.356563782f, 0.319381530f}) y = std::fma(y, t, f);
    const float d = 0.3989423f * Exp((x * x) * -0.5f), e = 0.5f - d * (y * t);
    sums.below = std::fma(weight, 0.5f + std::copysign(e, x), sums.below);
    sums.slope = std::fma(weight * inverse, d, sums.slope);
  }
  return sums;
}

float Mixture::Place(float wanted) const {
  int k = 0;
  while (k < 14 && below_[k + 1] < wanted) ++k;
  float low = k == 0 ? -40.0f : place_[k], high = k == 14 ? 40.0f : place_[k + 1];
  const float rise = below_[k + 1] - below_[k];
  const float share = rise > 0 ? Clamp((wanted - below_[k]) / rise, 0.0f, 1.0f) : 0.5f;
  float z = place_[k] + step_ * share, before = 1;
  for (int round = 0; round < 30; ++round) {
    const Sums sums = At(z);
    const float miss = sums.below - wanted, size = std::fabs(miss);
    if (size < 2e-6f) break;
    (miss < 0 ? low : high) = z;
    const float newton = z - miss / std::max(sums.slope, 1e-9f);
    z = newton > low && newton < high && size < 0.5f * before ? newton : (low + high) * 0.5f;
    before = size;
  }
  return z;
}

}  // namespace

Vector Intervals(const Outlook& outlook, const Vector& levels) {
  const Mixture mixture(outlook);
  Vector intervals;
  for (const float level : levels) {
    const float wanted = std::max(level - outlook.tie, 0.0f) / std::max(1.0f - outlook.tie, 1e-7f);
    const double seconds = DoubleExp(outlook.LogOf(mixture.Place(wanted)) + outlook.r);
    const float interval = level <= outlook.tie ? 0.0f : static_cast<float>(seconds);
    intervals.push_back(intervals.empty() ? interval : std::max(interval, intervals.back()));
  }
  return intervals;
}

Vector Probabilities(const Outlook& outlook, const std::vector<double>& spans) {
  const Mixture mixture(outlook);
  Vector probabilities;
  for (const double span : spans) {
    const double place = outlook.PlaceOf(DoubleLog(span) - outlook.r);
    const float below = mixture.At(static_cast<float>(Clamp(place, -40.0, 40.0))).below;
    probabilities.push_back(outlook.tie + (1.0f - outlook.tie) * Clamp(below, 0.0f, 1.0f));
  }
  return probabilities;
}

std::vector<std::pair<uint32_t, float>> Likeliest(const EventReply& reply) {
  std::vector<size_t> slots(65);
  std::iota(slots.begin(), slots.end(), 0);
  std::stable_sort(slots.begin(), slots.end(), [&](size_t a, size_t b) { return reply.marks[a] > reply.marks[b]; });
  std::vector<std::pair<uint32_t, float>> likeliest;
  for (const size_t slot : slots) {
    const float probability = reply.marks[slot];
    const bool known = slot < 64 && probability > 0;
    likeliest.emplace_back(known ? reply.names[slot] : 0xffffffff, reply.outlook.Made() ? probability : kMissing);
  }
  return likeliest;
}

}  // namespace aaren::specification::events
