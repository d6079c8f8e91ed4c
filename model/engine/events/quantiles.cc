#include "model/engine/events/quantiles.h"

#include <algorithm>
#include <cmath>

#include "model/engine/events/mixture_points.h"
#include "model/math/doubles.h"

namespace aaren::events {
namespace {

constexpr float kNegligible = 1e-7f;  // weight of a component that is left out
constexpr float kFurthest = 40;       // in z
constexpr float kReach = 6;           // spreads of a component around its place that matter
constexpr float kMiss = 2e-6f;        // tolerated error of a quantile's probability
constexpr int kRounds = 24;           // halving alone brings a bracket of the grid below 1e-5 by then

// A mixture, and the places between which nearly all of it lies.
struct Mixture : Components {
  float low = kFurthest, high = -kFurthest;

  explicit Mixture(const Outlook& outlook) {
    for (size_t k = 0; k < kComponents; ++k) {
      if (k < kLogNormals || k >= kLogNormals + kWeibulls) Add(outlook, k);
    }
    normals = count;
    for (size_t k = kLogNormals; k < kLogNormals + kWeibulls; ++k) Add(outlook, k);
    low = std::max(low, -kFurthest);
    high = std::min(std::max(high, low + 1), kFurthest);
  }

 private:
  void Add(const Outlook& outlook, size_t k) {
    if (!(outlook.weight[k] > kNegligible)) return;
    weight[count] = outlook.weight[k];
    at[count] = outlook.at[k];
    inverse[count] = 1 / outlook.spread[k];
    low = std::min(low, at[count] - kReach * outlook.spread[k]);
    high = std::max(high, at[count] + kReach * outlook.spread[k]);
    ++count;
  }
};

// Newton's steps for all probabilities together, each inside a bracket that shrinks.
class Search {
 public:
  Search(const Mixture& mixture, const Points& wanted) : mixture_(mixture), wanted_(wanted) {
    Bracket();
    for (int round = 0; round < kRounds && !Advance(); ++round) {
    }
  }

  float found(size_t i) const { return z_.at[i]; }

 private:
  // Brackets each probability between two neighbours of an even grid.
  void Bracket() {
    const float step = (mixture_.high - mixture_.low) / (kPoints - 1);
    for (size_t i = 0; i < kPoints; ++i) z_.at[i] = mixture_.low + step * static_cast<float>(i);
    const Points grid = z_;
    MixtureAt(mixture_, grid, below_, density_);
    for (size_t i = 0; i < kPoints; ++i) {
      const float wanted = wanted_.at[i];
      size_t above = 1;
      while (above + 1 < kPoints && below_.at[above] < wanted) ++above;
      low_.at[i] = above == 1 ? -kFurthest : grid.at[above - 1];
      high_.at[i] = above + 1 == kPoints ? kFurthest : grid.at[above];
      const float before = below_.at[above - 1], rise = below_.at[above] - before;
      const float share = rise > 0 ? std::clamp((wanted - before) / rise, 0.0f, 1.0f) : 0.5f;
      z_.at[i] = grid.at[above - 1] + step * share;
      miss_.at[i] = 1;
    }
  }

  // True once every probability is met.
  bool Advance() {
    MixtureAt(mixture_, z_, below_, density_);
    bool done = true;
    for (size_t i = 0; i < kPoints; ++i) {
      const float miss = below_.at[i] - wanted_.at[i], z = z_.at[i];
      if (std::abs(miss) < kMiss) continue;
      done = false;
      (miss < 0 ? low_ : high_).at[i] = z;
      const float newton = z - miss / std::max(density_.at[i], 1e-9f), low = low_.at[i], high = high_.at[i];
      // Where the density vanishes, the step leaves the bracket; beside a narrow component Newton's steps go to and
      // fro. Then the bracket is halved.
      const bool helps = std::abs(miss) < 0.5f * miss_.at[i] && newton > low && newton < high;
      z_.at[i] = helps ? newton : (low + high) / 2;
      miss_.at[i] = std::abs(miss);
    }
    return done;
  }

  const Mixture& mixture_;
  const Points& wanted_;
  Points low_, high_, z_, miss_, below_, density_;
};

}  // namespace

void IntervalsAt(const Outlook& outlook, absl::Span<const float> levels, float* intervals) {
  const Mixture mixture(outlook);
  for (size_t first = 0; first < levels.size(); first += kPoints) {
    const size_t count = std::min(kPoints, levels.size() - first);
    Points wanted;
    for (size_t i = 0; i < kPoints; ++i) {
      // Places beyond the levels repeat the last level.
      const float level = levels[first + std::min(i, count - 1)];
      wanted.at[i] = std::max(level - outlook.tie, 0.0f) / std::max(1 - outlook.tie, kNegligible);
    }
    const Search search(mixture, wanted);
    for (size_t i = first; i < first + count; ++i) {
      const bool tie = levels[i] <= outlook.tie;
      intervals[i] = tie ? 0.0f : static_cast<float>(math::Exp(search.found(i - first) + outlook.log_scale));
      // Rounding must not turn the order of two levels around.
      if (i > 0) intervals[i] = std::max(intervals[i], intervals[i - 1]);
    }
  }
}

void ProbabilitiesWithin(const Outlook& outlook, absl::Span<const double> spans, float* probabilities) {
  const Mixture mixture(outlook);
  for (size_t first = 0; first < spans.size(); first += kPoints) {
    const size_t count = std::min(kPoints, spans.size() - first);
    Points z, below, density;
    for (size_t i = 0; i < kPoints; ++i) {
      const double place = math::Log(spans[first + std::min(i, count - 1)]) - outlook.log_scale;
      z.at[i] = static_cast<float>(std::clamp(place, -1.0 * kFurthest, 1.0 * kFurthest));
    }
    MixtureAt(mixture, z, below, density);
    for (size_t i = 0; i < count; ++i) {
      probabilities[first + i] = outlook.tie + (1 - outlook.tie) * std::clamp(below.at[i], 0.0f, 1.0f);
    }
  }
}

}  // namespace aaren::events
