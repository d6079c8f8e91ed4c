#include "model/season/seasons.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace aaren::season {
namespace {

constexpr double kMostScore = 100.0;  // the largest score that is reported
constexpr double kSameSeason = 0.07;  // lags closer than this share of a season are the same season

bool IsAnotherSeason(int lag, int first) {
  if (IsSameSeason(lag, first)) return false;
  return lag % first != 0 || lag == 7 * first || (lag == 1440 && first == 60);
}

// The lags of the bank, then the found lags.
using Candidates = std::array<std::pair<int, double>, kLagCount - kFirstSeason + kFoundLags>;

Candidates CandidatesOf(const SeasonScores& scores) {
  Candidates candidates;
  auto next = candidates.begin();
  for (size_t i = kFirstSeason; i < kLagCount; ++i) *next++ = {kLags[i], scores.OfBank(i)};
  for (size_t i = 0; i < kFoundLags; ++i) *next++ = {scores.errors().found[i], scores.OfFound(i)};
  return candidates;
}

// The lag with the least score for which may_be(lag) is true; 0 if no lag is left.
template <typename MayBe>
uint16_t Best(const Candidates& candidates, MayBe may_be) {
  uint16_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [lag, score] : candidates) {
    // Only a lesser score replaces the best, so the shortest lag of the bank stays among equals (rule 6.13).
    if (!(score < least) || !may_be(lag)) continue;
    least = score;
    best = static_cast<uint16_t>(lag);
  }
  return best;
}

float ErrorAt(const LagErrors& errors, int lag) {
  const size_t found = errors.FoundIndex(lag);
  if (found < kFoundLags) return errors.found_mean[found];
  return errors.mean[std::lower_bound(kLags.begin(), kLags.end(), lag) - kLags.begin()];
}

// Returns a score and an error of 0 for a lag that has no score any more.
Season Describe(const SeasonScores& scores, const LagErrors& errors, int lag) {
  if (lag == 0) return {};
  const double score = scores.Of(lag);
  if (std::isnan(score)) return {.lag = lag};
  return {.lag = lag, .score = static_cast<float>(std::min(score, kMostScore)), .error = ErrorAt(errors, lag)};
}

}  // namespace

bool IsSameSeason(int lag, int season) { return std::abs(lag - season) <= kSameSeason * season; }

SeasonChoice ChooseSeasons(const SeasonScores& scores) {
  const Candidates candidates = CandidatesOf(scores);
  SeasonChoice choice;
  choice.first = Best(candidates, [](int) { return true; });
  if (choice.first == 0) return choice;
  choice.second = Best(candidates, [&](int lag) { return IsAnotherSeason(lag, choice.first); });
  return choice;
}

Seasons DescribeSeasons(uint64_t seq, const LagErrors& errors, const SeasonChoice& choice) {
  const SeasonScores scores(seq, errors, std::max(choice.first, choice.second));
  return {.first = Describe(scores, errors, choice.first), .second = Describe(scores, errors, choice.second)};
}

}  // namespace aaren::season
