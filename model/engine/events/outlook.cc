#include "model/engine/events/outlook.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/engine/network/activation.h"
#include "model/math/doubles.h"
#include "model/math/lanes.h"
#include "model/math/scalar_operations.h"

namespace aaren::events {
namespace {

using math::ScalarOperations;

constexpr size_t kNormals[] = {0, kLogNormals + kWeibulls};   // first components of two stretches of log-normals
constexpr size_t kNormalEnds[] = {kLogNormals, kComponents};  // the stretches' ends
constexpr double kEdge = 8, kStep = 0.125;  // range and spacing of the table of the normal distribution
constexpr double kFurthest = 40;            // place, for quantiles
constexpr double kExact = 1e-9;             // tolerated error of a quantile's probability
constexpr double kMostBefore = 1 - 1e-7;    // probability of an event within a silence, so that some is left
constexpr float kLeap = 2;                  // how far beyond the longest of the last intervals components may lie

double NormalDensity(double x) { return math::Exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi); }

struct NormalPoint {
  double probability, density;
};

// P(X < x) = 1/2 + density(x) (x + x^3 / 3 + x^5 / 15 + ...), a sum of numbers of one sign.
NormalPoint ComputePoint(double x) {
  double term = std::abs(x), sum = 0;
  // At |x| = 8, the edge of the table, terms fall from k = 63 on. Few of the 400 are needed.
  for (int k = 1; k < 400 && term > 0; k += 2) {
    sum += term;
    term *= x * x / (k + 2);
  }
  const double density = NormalDensity(x), half = std::min(density * sum, 0.5);
  return {.probability = x < 0 ? 0.5 - half : 0.5 + half, .density = density};
}

// Points a step apart; between points the Taylor series to h^5 leaves an error below 2e-10.
double NormalBelow(double x) {
  static const auto points = [] {
    std::array<NormalPoint, static_cast<size_t>(2 * kEdge / kStep) + 1> all;
    for (size_t i = 0; i < all.size(); ++i) all[i] = ComputePoint(static_cast<double>(i) * kStep - kEdge);
    return all;
  }();
  if (!(x > -kEdge)) return 0;
  if (x >= kEdge) return 1;
  const auto i = static_cast<size_t>((x + kEdge) / kStep + 0.5);
  const double c = static_cast<double>(i) * kStep - kEdge, h = x - c, square = c * c;
  double series = (square * (square - 6) + 3) / 120;
  series = series * h - c * (square - 3) / 24;
  series = series * h + (square - 1) / 6;
  series = series * h - c / 2;
  series = series * h + 1;
  return points[i].probability + points[i].density * h * series;
}

// The mixture at a place: probability below, and density.
struct MixturePoint {
  double below = 0, density = 0;
};

MixturePoint MixtureAt(const Outlook& outlook, double place) {
  MixturePoint point;
  for (size_t part = 0; part < 2; ++part) {
    for (size_t k = kNormals[part]; k < kNormalEnds[part]; ++k) {
      if (outlook.weight[k] == 0) continue;
      const double x = (place - outlook.at[k]) / outlook.spread[k];
      point.below += outlook.weight[k] * NormalBelow(x);
      point.density += outlook.weight[k] * NormalDensity(x) / outlook.spread[k];
    }
  }
  for (size_t k = kLogNormals; k < kLogNormals + kWeibulls; ++k) {
    // In the logarithm, a Weibull interval lasts beyond a place with probability exp(-exp(x)).
    const double x = (place - outlook.at[k]) / outlook.spread[k], hazard = math::Exp(x), left = math::Exp(-hazard);
    point.below += outlook.weight[k] * (1 - left);
    point.density += outlook.weight[k] * hazard * left / outlook.spread[k];
  }
  return point;
}

// Turns logits into probabilities, in the order of the components.
void Softmax(const float* logits, const Places& places, float* weight) {
  float most = -std::numeric_limits<float>::infinity(), sum = 0;
  const auto present = [&](size_t k) {
    const size_t first = kLogNormals + kWeibulls;
    return k < first || k >= first + kCopies || places.present[k - first];
  };
  for (size_t k = 0; k < kComponents; ++k) {
    if (present(k)) most = std::max(most, logits[k]);
  }
  alignas(64) float below[math::PadToLanes(kComponents)] = {};
  for (size_t k = 0; k < kComponents; ++k) below[k] = std::min(logits[k] - most, 0.0f);
  engine::Exp(below, std::size(below), below);
  for (size_t k = 0; k < kComponents; ++k) {
    weight[k] = present(k) ? below[k] : 0.0f;
    sum += weight[k];
  }
  for (size_t k = 0; k < kComponents; ++k) weight[k] /= sum;
}

// The part of MixtureAt that is no density, with the same bits, and faster.
double BelowAt(const Outlook& outlook, double place) {
  double below = 0;
  for (size_t part = 0; part < 2; ++part) {
    for (size_t k = kNormals[part]; k < kNormalEnds[part]; ++k) {
      if (outlook.weight[k] == 0) continue;
      below += outlook.weight[k] * NormalBelow((place - outlook.at[k]) / outlook.spread[k]);
    }
  }
  double left[kWeibulls];
  for (size_t j = 0; j < kWeibulls; ++j) {
    left[j] = (place - outlook.at[kLogNormals + j]) / outlook.spread[kLogNormals + j];
  }
  math::Exp(left, kWeibulls, left);
  for (double& one : left) one = -one;
  math::Exp(left, kWeibulls, left);
  for (size_t j = 0; j < kWeibulls; ++j) below += outlook.weight[kLogNormals + j] * (1 - left[j]);
  return below;
}

double PlaceIn(const Outlook& outlook, double gap) {
  // math::Log takes normal numbers only, and a tie has the interval 0.
  return outlook.PlaceOf(math::Log(std::max(gap, std::numeric_limits<double>::min())) - outlook.log_scale);
}

// The furthest place of a component. Each interval seen allows one unit of logarithm more.
float FurthestPlace(const Places& places) {
  float longest = 0;
  for (size_t j = 0; j < kRing; ++j) longest = std::max(longest, places.present[j] ? places.ring[j] : 0.0f);
  return longest + kLeap + places.intervals;
}

}  // namespace

Outlook OutlookOf(const float* numbers, const Places& places, double log_scale) {
  Outlook outlook = kNoOutlook;
  outlook.log_scale = log_scale;
  Softmax(numbers + kLogit, places, outlook.weight);
  alignas(64) float spread[math::PadToLanes(kLogNormals + kWeibulls + 1)] = {};
  std::copy_n(numbers + kNormalSpread, kLogNormals, spread);
  std::copy_n(numbers + kWeibullSpread, kWeibulls, spread + kLogNormals);
  spread[kLogNormals + kWeibulls] = numbers[kCopySpread];
  engine::Softplus(spread, std::size(spread), spread);
  for (float& one : spread) one += kLeastSpread;
  std::copy_n(numbers + kNormalMean, kLogNormals, outlook.at);
  std::copy_n(numbers + kWeibullMean, kWeibulls, outlook.at + kLogNormals);
  std::copy_n(spread, kLogNormals + kWeibulls, outlook.spread);
  size_t k = kLogNormals + kWeibulls;
  for (size_t j = 0; j < kCopies; ++j, ++k) {
    outlook.at[k] = places.ring[j];
    outlook.spread[k] = spread[kLogNormals + kWeibulls];
  }
  // The deviation changes by a factor of exp(5) = 148 at most.
  const float stretch = std::clamp(numbers[kAfterStretch], -5.0f, 5.0f);
  outlook.at[k] = places.after + numbers[kAfterShift];
  outlook.spread[k] = places.deviation * math::scalar::ExpOf<ScalarOperations>(stretch) + kLeastSpread;
  outlook.tie = math::scalar::SigmoidOf<ScalarOperations>(numbers[kTieLogit]);
  outlook.doubt = 1 / places.intervals;
  const float furthest = FurthestPlace(places);
  for (float& at : outlook.at) at = std::min(at, furthest);
  return outlook;
}

double ProbabilityWithin(const Outlook& outlook, double gap) {
  if (!(gap > 0)) return outlook.tie;
  return outlook.tie + (1 - outlook.tie) * BelowAt(outlook, PlaceIn(outlook, gap));
}

double LogDensity(const Outlook& outlook, double gap) {
  const double place = PlaceIn(outlook, gap), slope = place > 0 ? 1.0 + outlook.doubt : 1;  // d place / d z
  const double density = slope * MixtureAt(outlook, place).density;
  // math::Log takes numbers above 0 only; far from all components the density underflows.
  return math::Log(std::max(density, 1e-300));
}

// Newton's steps inside a bracket that shrinks; a step that leaves the bracket halves it.
double IntervalAt(const Outlook& outlook, double level) {
  if (level <= outlook.tie) return 0;
  const double wanted = (level - outlook.tie) / (1 - outlook.tie);
  double low = -kFurthest, high = kFurthest, place = 0;
  // Halving alone would bring the bracket of 80 below 1e-9 in 37 steps.
  for (int step = 0; step < 100; ++step) {
    const MixturePoint point = MixtureAt(outlook, place);
    const double miss = point.below - wanted;
    if (std::abs(miss) < kExact) break;
    (miss < 0 ? low : high) = place;
    // Where the density vanishes, the step leaves the bracket, and the bracket is halved.
    const double newton = place - miss / std::max(point.density, 1e-12);
    place = newton > low && newton < high ? newton : (low + high) / 2;
  }
  return math::Exp(outlook.LogOf(place) + outlook.log_scale);
}

double ProbabilityAfterSilence(const Outlook& outlook, double silence, double gap) {
  const double before = std::min(ProbabilityWithin(outlook, silence), kMostBefore);
  return std::clamp((ProbabilityWithin(outlook, silence + gap) - before) / (1 - before), 0.0, 1.0);
}

double IntervalAfterSilence(const Outlook& outlook, double silence, double level) {
  const double before = std::min(ProbabilityWithin(outlook, silence), kMostBefore);
  return std::max(IntervalAt(outlook, before + level * (1 - before)), silence);
}

double SurpriseOf(const Outlook& outlook, double gap, double rounding) {
  if (!outlook.made()) return std::numeric_limits<double>::quiet_NaN();
  if (rounding > 0) {
    const double below = gap > 0 ? ProbabilityWithin(outlook, std::max(gap - rounding / 2, 0.0)) : 0;
    return (below + ProbabilityWithin(outlook, gap + rounding / 2)) / 2;
  }
  return gap > 0 ? ProbabilityWithin(outlook, gap) : outlook.tie / 2.0;
}

}  // namespace aaren::events
