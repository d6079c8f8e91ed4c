#include "model/season/season_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aaren::season {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kPerOctave = 0.02;   // how much more a lag twice as long has to bring
constexpr double kNoDip = 0.15;       // added where a neighbour has less error
constexpr double kNegligible = 1e-3;  // a score at which a lag is as good as one without error

// log2(p / 4), linear between powers of two.
double Octaves(int lag) {
  int exponent;
  const double fraction = std::frexp(static_cast<double>(lag) / kShortestSeason, &exponent);
  return exponent - 1 + (2.0 * fraction - 1.0);
}

size_t ShorterLags(int lag) {
  return static_cast<size_t>(std::lower_bound(kLags.begin(), kLags.end(), lag) - kLags.begin());
}

}  // namespace

SeasonScores::SeasonScores(uint64_t seq, const LagErrors& errors) : errors_(errors) {
  for (size_t i = 0; i < kLagCount; ++i) {
    believed_[i] = errors.Valid(seq, i) ? static_cast<double>(errors.mean[i]) : kMissing;
    const bool counts = !std::isnan(believed_[i]);
    sum_[i + 1] = counts ? sum_[i] + believed_[i] : sum_[i];
    count_[i + 1] = counts ? count_[i] + 1.0 : count_[i];
  }
}

bool SeasonScores::IsDip(size_t i) const {
  return !(believed_[i - 1] < believed_[i]) &&
         !(i + 1 < kLagCount && believed_[i + 1] < believed_[i]);  // NaN is no less
}

double SeasonScores::OfBank(size_t index) const {
  if (index < kFirstSeason) return kMissing;
  return With(kLags[index], believed_[index]) + (IsDip(index) ? 0.0 : kNoDip);
}

double SeasonScores::Of(int lag) const {
  const size_t index = ShorterLags(lag), found = errors_.FoundIndex(lag);
  if (index < kLagCount && kLags[index] == lag) return OfBank(index);
  return found < kFoundLags ? OfFound(found) : kMissing;
}

double SeasonScores::With(int lag, double error) const {
  const size_t shorter = ShorterLags(lag);
  if (!(sum_[shorter] > 0.0)) return kMissing;
  const double longer = 1.0 + kPerOctave * Octaves(lag);
  return (error * count_[shorter] / sum_[shorter] + kNegligible) * longer;
}

}  // namespace aaren::season
