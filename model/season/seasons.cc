#include "model/season/seasons.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace aaren::season {
namespace {

constexpr double kPerOctave = 0.02;   // how much more a lag twice as long has to bring
constexpr double kNoDip = 0.15;       // added where a neighbour has less error
constexpr double kNegligible = 1e-3;  // a score at which a lag is as good as one without error
constexpr double kMostScore = 100.0;  // that is told
constexpr double kSameSeason = 0.07;  // lags closer than this share of one are the same season

using Scores = std::array<double, kLagCount>;  // NaN where a lag cannot be judged

// log2(p / 4), linear between powers of two.
double Octaves(int lag) {
  int exponent;
  const double fraction = std::frexp(static_cast<double>(lag) / kShortestSeason, &exponent);
  return exponent - 1 + (2.0 * fraction - 1.0);
}

// The errors that may be believed; NaN where none may.
Scores Believed(uint64_t seq, const LagErrors& errors) {
  Scores believed;
  for (size_t i = 0; i < kLagCount; ++i) {
    believed[i] = errors.Valid(seq, i) ? static_cast<double>(errors.mean[i]) : std::numeric_limits<double>::quiet_NaN();
  }
  return believed;
}

bool IsDip(const Scores& errors, size_t i) {
  return !(errors[i - 1] < errors[i]) && !(i + 1 < kLagCount && errors[i + 1] < errors[i]);  // NaN is no less
}

// The sum and the number of the errors before index `i`, which are not NaN.
struct Shorter {
  double sum = 0.0, count = 0.0;

  void Add(double error) {
    if (std::isnan(error)) return;
    sum += error;
    count += 1.0;
  }
};

// Of the lag number `i`. NaN where its error is, or no shorter lag has any.
double ScoreOf(const Scores& errors, size_t i, const Shorter& shorter) {
  if (!(shorter.sum > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  const double longer = 1.0 + kPerOctave * Octaves(kLags[i]);
  return (errors[i] * shorter.count / shorter.sum + kNegligible) * longer + (IsDip(errors, i) ? 0.0 : kNoDip);
}

Scores ScoresOf(const Scores& errors) {
  Scores scores;
  Shorter shorter;
  for (size_t i = 0; i < kLagCount; ++i) {
    scores[i] = i < kFirstSeason ? std::numeric_limits<double>::quiet_NaN() : ScoreOf(errors, i, shorter);
    shorter.Add(errors[i]);
  }
  return scores;
}

bool IsAnotherSeason(int lag, int first) {
  if (std::abs(lag - first) <= kSameSeason * first) return false;
  return lag % first != 0 || lag == 7 * first || (lag == 1440 && first == 60);
}

// The lag with the least score of those that may be taken; 0 if there is none.
template <typename MayBe>
uint16_t Best(const Scores& scores, MayBe may_be) {
  uint16_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = kFirstSeason; i < kLagCount; ++i) {
    if (!(scores[i] < least) || !may_be(kLags[i])) continue;
    least = scores[i];
    best = static_cast<uint16_t>(kLags[i]);
  }
  return best;
}

// Of a lag that nothing is known of any more, the score and error are 0.
Season Describe(const Scores& believed, const LagErrors& errors, int lag) {
  const auto at = std::lower_bound(kLags.begin(), kLags.end(), lag);
  if (lag == 0 || at == kLags.end() || *at != lag) return {};
  const size_t index = static_cast<size_t>(at - kLags.begin());
  Shorter shorter;
  for (size_t i = 0; i < index; ++i) shorter.Add(believed[i]);
  const double score = index < kFirstSeason ? NAN : ScoreOf(believed, index, shorter);
  if (std::isnan(score)) return {.lag = lag};
  return {.lag = lag, .score = static_cast<float>(std::min(score, kMostScore)), .error = errors.mean[index]};
}

}  // namespace

SeasonChoice ChooseSeasons(uint64_t seq, const LagErrors& errors) {
  const Scores scores = ScoresOf(Believed(seq, errors));
  SeasonChoice choice;
  choice.first = Best(scores, [](int) { return true; });
  if (choice.first == 0) return choice;
  choice.second = Best(scores, [&](int lag) { return IsAnotherSeason(lag, choice.first); });
  return choice;
}

Seasons DescribeSeasons(uint64_t seq, const LagErrors& errors, const SeasonChoice& choice) {
  const Scores believed = Believed(seq, errors);
  return {.first = Describe(believed, errors, choice.first), .second = Describe(believed, errors, choice.second)};
}

}  // namespace aaren::season
