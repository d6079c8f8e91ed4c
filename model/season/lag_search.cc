#include "model/season/lag_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model/math/lanes.h"
#include "model/math/targets.h"
#include "model/season/season_scores.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/season/lag_search.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// One definition for all instruction sets.
#ifndef AAREN_MODEL_SEASON_LAG_SEARCH_SUMS
#define AAREN_MODEL_SEASON_LAG_SEARCH_SUMS
namespace aaren::season {

// Of the distances where both values are present, by the place of the value among each sixteen.
struct DistanceSums {
  float distance[math::kLanes], count[math::kLanes];
};

}  // namespace aaren::season
#endif

HWY_BEFORE_NAMESPACE();
namespace aaren::season {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Over the newest `blocks` times sixteen values. No distance counts beyond `most`.
void SumDistances(const float* newest, int lag, int blocks, float most, DistanceSums* sums) {
  const hn::CappedTag<float, math::kLanes> d;
  for (size_t lane = 0; lane < math::kLanes; lane += hn::Lanes(d)) {
    auto distance = hn::Zero(d), count = hn::Zero(d);
    const float* value = newest - (math::kLanes - 1) + lane;
    for (int block = 0; block < blocks; ++block, value -= math::kLanes) {
      const auto away = hn::Abs(hn::Sub(hn::LoadU(d, value), hn::LoadU(d, value - lag)));
      const auto present = hn::Eq(away, away);
      distance = hn::Add(distance, hn::IfThenElseZero(present, hn::Min(away, hn::Set(d, most))));
      count = hn::Add(count, hn::IfThenElseZero(present, hn::Set(d, 1.0f)));
    }
    hn::StoreU(distance, d, sums->distance + lane);
    hn::StoreU(count, d, sums->count + lane);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::season
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::season {

HWY_EXPORT(SumDistances);

namespace {

constexpr uint64_t kYoungest = 96;        // tokens, before which nothing is searched
constexpr int kAtOnce = 16;               // lags
constexpr int kCompared = 30;             // blocks of sixteen values
constexpr int kFewest = 64, kMany = 240;  // comparisons that are needed of a short lag, and of a long one
constexpr int kShortestTrial = 4;         // probes
constexpr double kBetter = 0.8;           // than another season: the part of its error that is left
constexpr double kBetterNearby = 0.9;     // than nearly the same

// The part of an error at `first` that the one at `lag` has to be below.
double PartOf(int lag, int first) { return IsSameSeason(lag, first) ? kBetterNearby : kBetter; }

// About one season, in probes and in blocks of the values that come meanwhile.
int TrialOf(int lag) {
  return std::clamp(lag / static_cast<int>(math::kLanes) + 1, kShortestTrial, static_cast<int>(kLongestTrial));
}

// Blocks of sixteen values that can be compared at a lag.
int BlocksAt(int lag) { return (static_cast<int>(ValueMemory::kValues) - lag) / static_cast<int>(math::kLanes); }

// The mean distance of values at a lag, in units of the series; NaN where too few are present.
class Distances {
 public:
  Distances(const float* newest, float unit) : newest_(newest), most_(LagErrors::kMost * unit) {}

  // Over so many blocks of the newest values, as far as they are remembered.
  double At(int lag, int blocks, int needed) const {
    DistanceSums sums;
    HWY_DYNAMIC_DISPATCH(SumDistances)(newest_, lag, std::min(blocks, BlocksAt(lag)), most_, &sums);
    double distance = 0.0, count = 0.0;
    for (size_t i = 0; i < math::kLanes; ++i) {
      distance += sums.distance[i];
      count += sums.count[i];
    }
    return count < needed ? std::numeric_limits<double>::quiet_NaN() : distance / count;
  }
  double At(int lag) const { return At(lag, kCompared, std::clamp(lag / 2, kFewest, kMany)); }

  // Whether the newest values repeat so much better at one lag than at another.
  bool AreLess(int lag, int than, int blocks) const {
    blocks = std::min({blocks, BlocksAt(lag), BlocksAt(than)});
    const int needed = std::min(kFewest, blocks * static_cast<int>(math::kLanes)) / 2;
    return At(lag, blocks, needed) < PartOf(lag, than) * At(than, blocks, needed);
  }

 private:
  const float* newest_;
  float most_;
};

struct Candidate {
  int lag = 0;
  double score = std::numeric_limits<double>::infinity();
};

// The lag with the least score from `first` to `last` that is not known yet, and no worse than those beside it. `gain`:
// from distances to errors.
Candidate BestOf(int first, int last, const Distances& distances, double gain, const SeasonScores& scores,
                 const LagErrors& errors) {
  Candidate best;
  double before = distances.At(first - 1), at = distances.At(first);
  for (int lag = first; lag <= last; ++lag) {
    const double after = distances.At(lag + 1);
    const bool dips = !(before < at) && !(after < at);
    const bool known = std::binary_search(kLags.begin(), kLags.end(), lag) || errors.FoundIndex(lag) < kFoundLags;
    const double score = scores.With(lag, at * gain);
    if (dips && !known && score < best.score) best = {.lag = lag, .score = score};
    before = at;
    at = after;
  }
  return best;
}

// Where a lag is kept: that of nearly the same season, an empty place, or that of the worse one.
size_t PlaceFor(int lag, const SeasonScores& scores, const LagErrors& errors) {
  for (size_t i = 0; i < kFoundLags; ++i) {
    if (errors.found[i] != 0 && IsSameSeason(lag, errors.found[i])) return i;
  }
  const size_t empty = errors.FoundIndex(0);
  if (empty < kFoundLags) return empty;
  return scores.OfFound(0) > scores.OfFound(1) ? 0 : 1;
}

// What makes errors, as of late, of distances; not finite where that cannot be said.
double GainOf(uint64_t seq, const Distances& distances, const LagErrors& errors) {
  return static_cast<double>(errors.At(seq, 1)) / distances.At(1);
}

void LookOn(uint64_t seq, const Distances& distances, int first_season, LagErrors& errors) {
  const int longest = static_cast<int>(std::min<uint64_t>(kLongestFound, 2 * (seq + 1) / 3));
  const int first = errors.next_lag > longest ? kShortestSeason : errors.next_lag;
  const int last = std::min(first + kAtOnce - 1, longest);
  errors.next_lag = static_cast<uint16_t>(last < kLongestFound ? last + 1 : kShortestSeason);
  const double gain = GainOf(seq, distances, errors);
  if (!std::isfinite(gain)) return;
  const SeasonScores scores(seq, errors);
  const Candidate best = BestOf(first, last, distances, gain, scores, errors);
  if (!(best.score < PartOf(best.lag, first_season) * scores.Of(first_season))) return;
  if (!distances.AreLess(best.lag, first_season, BlocksAt(kShortestSeason))) return;
  errors.tried_lag = static_cast<uint16_t>(best.lag);
  errors.trial_left = static_cast<uint32_t>(TrialOf(best.lag));
}

// By the values since: what was the best of many by chance is no better there.
void EndTrial(uint64_t seq, const Distances& distances, int first_season, LagErrors& errors) {
  const int lag = std::exchange(errors.tried_lag, uint16_t{0});
  if (!distances.AreLess(lag, first_season, TrialOf(lag))) return;
  const double error = distances.At(lag) * GainOf(seq, distances, errors);
  if (!std::isfinite(error)) return;
  const size_t place = PlaceFor(lag, SeasonScores(seq, errors), errors);
  errors.found[place] = static_cast<uint16_t>(lag);
  errors.found_mean[place] = static_cast<float>(std::min<double>(error, LagErrors::kMost));
}

}  // namespace

void SearchLags(uint64_t seq, const float* newest, const SeasonChoice& chosen, LagErrors& errors) {
  if (seq < kYoungest || chosen.first == 0) return;
  const Distances distances(newest, errors.unit);
  if (errors.tried_lag == 0) return LookOn(seq, distances, chosen.first, errors);
  if (--errors.trial_left > 0) return;
  EndTrial(seq, distances, chosen.first, errors);
}

}  // namespace aaren::season
#endif
