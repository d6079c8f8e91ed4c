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

double FactorOf(int lag) { return 1.0 + kPerOctave * Octaves(lag); }

// FactorOf for each lag of the bank, computed once.
struct BankFactors : std::array<double, kLagCount> {
  BankFactors() { std::transform(kLags.begin(), kLags.end(), begin(), FactorOf); }
};

bool IsDip(const std::array<double, kLagCount>& errors, size_t i) {
  return !(errors[i - 1] < errors[i]) && !(i + 1 < kLagCount && errors[i + 1] < errors[i]);  // NaN is no less
}

size_t ShorterLags(int lag) {
  return static_cast<size_t>(std::lower_bound(kLags.begin(), kLags.end(), lag) - kLags.begin());
}

}  // namespace

SeasonScores::SeasonScores(uint64_t seq, const LagErrors& errors, int longest) : errors_(errors) {
  const size_t count = std::min(ShorterLags(longest) + 2, kLagCount);  // a dip looks at the next one
  const size_t comparable = std::min(errors.Comparable(seq), count);
  std::fill(std::copy_n(errors.mean, comparable, believed_.begin()), believed_.begin() + count, kMissing);
  double sum = 0.0, known = 0.0;
  for (size_t i = 0;; ++i) {
    sum_[i] = sum;
    count_[i] = known;
    if (i == count) break;
    const bool counts = !std::isnan(believed_[i]);
    sum += counts ? believed_[i] : 0.0;  // which changes no bit
    known += counts ? 1.0 : 0.0;
  }
}

double SeasonScores::OfBank(size_t index) const {
  static const BankFactors factors;
  if (index < kFirstSeason) return kMissing;
  return ScoreAt(index, factors[index], believed_[index]) + (IsDip(believed_, index) ? 0.0 : kNoDip);
}

double SeasonScores::Of(int lag) const {
  const size_t index = ShorterLags(lag), found = errors_.FoundIndex(lag);
  if (index < kLagCount && kLags[index] == lag) return OfBank(index);
  return found < kFoundLags ? OfFound(found) : kMissing;
}

double SeasonScores::With(int lag, double error) const {
  return lag == 0 ? kMissing : ScoreAt(ShorterLags(lag), FactorOf(lag), error);
}

double SeasonScores::ScoreAt(size_t shorter, double factor, double error) const {
  return sum_[shorter] > 0.0 ? (error * count_[shorter] / sum_[shorter] + kNegligible) * factor : kMissing;
}

}  // namespace aaren::season
