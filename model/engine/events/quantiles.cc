#include "model/engine/events/quantiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "model/engine/events/mixture_points.h"
#include "model/math/doubles.h"

namespace aaren::events {
namespace {

constexpr float kNegligible = 1e-7f;  // weight of a component that is left out
constexpr float kReach = 2.5f;        // deviations around the mixture's mean where searches begin
// A Weibull interval's logarithm with the place 0 and the spread 1 has these moments: Euler's constant, pi^2 / 6.
constexpr float kWeibullMean = -0.5772157f, kWeibullVariance = 1.644934f;

// The components of an outlook that matter.
struct Mixture : Components {
  explicit Mixture(const Outlook& outlook) {
    for (size_t k = 0; k < kComponents; ++k) {
      if (k < kLogNormals || k >= kLogNormals + kWeibulls) Add(outlook, k);
    }
    normals = count;
    for (size_t k = kLogNormals; k < kLogNormals + kWeibulls; ++k) Add(outlook, k);
    const float reach = kReach * std::sqrt(std::max(square_ - mean_ * mean_, 0.0f));
    low = std::clamp(mean_ - reach, -kFurthest, kFurthest - 1);
    high = std::clamp(mean_ + reach, low + 1, kFurthest);
  }

 private:
  void Add(const Outlook& outlook, size_t k) {
    if (!(outlook.weight[k] > kNegligible)) return;
    const bool weibull = k >= kLogNormals && k < kLogNormals + kWeibulls;
    const float spread = outlook.spread[k], mean = outlook.at[k] + (weibull ? kWeibullMean * spread : 0);
    weight[count] = outlook.weight[k];
    at[count] = outlook.at[k];
    inverse[count] = 1 / spread;
    mean_ += weight[count] * mean;
    square_ += weight[count] * (mean * mean + (weibull ? kWeibullVariance : 1) * spread * spread);
    ++count;
  }

  float mean_ = 0, square_ = 0;  // moments of the place
};

}  // namespace

void IntervalsAt(const Outlook& outlook, absl::Span<const float> levels, float* intervals) {
  const Mixture mixture(outlook);
  for (size_t first = 0; first < levels.size(); first += kPoints) {
    const size_t count = std::min(kPoints, levels.size() - first);
    Points wanted, found;
    for (size_t i = 0; i < kPoints; ++i) {
      // Places beyond the levels repeat the last level.
      const float level = levels[first + std::min(i, count - 1)];
      wanted.at[i] = std::max(level - outlook.tie, 0.0f) / std::max(1 - outlook.tie, kNegligible);
    }
    FindPlaces(mixture, count, wanted, found);
    double seconds[kPoints];
    for (size_t i = 0; i < count; ++i) seconds[i] = outlook.LogOf(found.at[i]) + outlook.log_scale;
    math::Exp(seconds, count, seconds);
    for (size_t i = first; i < first + count; ++i) {
      const bool tie = levels[i] <= outlook.tie;
      intervals[i] = tie ? 0.0f : static_cast<float>(seconds[i - first]);
      // Rounding must not turn the order of two levels around.
      if (i > 0) intervals[i] = std::max(intervals[i], intervals[i - 1]);
    }
  }
}

void ProbabilitiesWithin(const Outlook& outlook, absl::Span<const double> spans, float* probabilities) {
  const Mixture mixture(outlook);
  for (size_t first = 0; first < spans.size(); first += kPoints) {
    const size_t count = std::min(kPoints, spans.size() - first);
    double logs[kPoints];
    math::Log(&spans[first], count, logs);
    Points places = {}, below;
    for (size_t i = 0; i < count; ++i) {
      const double place = outlook.PlaceOf(logs[i] - outlook.log_scale);
      places.at[i] = static_cast<float>(std::clamp(place, -1.0 * kFurthest, 1.0 * kFurthest));
    }
    ProbabilitiesBelow(mixture, count, places, below);
    for (size_t i = 0; i < count; ++i) {
      probabilities[first + i] = outlook.tie + (1 - outlook.tie) * std::clamp(below.at[i], 0.0f, 1.0f);
    }
  }
}

void LikeliestMarks(const EventForecast& forecast, absl::Span<uint32_t> names, float* probabilities) {
  std::array<uint8_t, kMarkSlots + 1> slots;
  for (size_t k = 0; k < slots.size(); ++k) slots[k] = static_cast<uint8_t>(k);
  std::partial_sort(slots.begin(), slots.begin() + names.size(), slots.end(), [&](uint8_t a, uint8_t b) {
    return std::make_pair(-forecast.marks[a], a) < std::make_pair(-forecast.marks[b], b);
  });
  const bool made = forecast.outlook.made();
  for (size_t i = 0; i < names.size(); ++i) {
    const float probability = forecast.marks[slots[i]];
    // Places beyond the known marks have no probability.
    const bool known = slots[i] != kNewMark && probability > 0;
    names[i] = known ? forecast.names[slots[i]] : kUnknownMark;
    probabilities[i] = made ? probability : std::numeric_limits<float>::quiet_NaN();
  }
}

}  // namespace aaren::events
