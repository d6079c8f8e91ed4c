#include "model/season/lag_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model/math/lanes.h"
#include "model/math/targets.h"
#include "model/season/season_scores.h"

#ifndef AAREN_MODEL_SEASON_LAG_SEARCH_COMPARED
#define AAREN_MODEL_SEASON_LAG_SEARCH_COMPARED
namespace aaren::season {
namespace {

constexpr int kLanes = static_cast<int>(math::kLanes);
constexpr int kCompared = 30;             // blocks of sixteen values that a search compares
constexpr int kFewest = 64, kMany = 240;  // pairs needed to judge a short lag, and a long lag

// The number of blocks of sixteen values that can be compared at a lag.
int BlocksAt(int lag) { return (static_cast<int>(ValueMemory::kValues) - lag) / kLanes; }

int NeededAt(int lag) { return std::clamp(lag / 2, kFewest, kMany); }

}  // namespace
}  // namespace aaren::season
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/season/lag_search.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aaren::season {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Sums sixteen partials in the one fixed tree (rule 11.7).
HWY_INLINE float Join(float* partials) {
  for (size_t half = math::kLanes / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) partials[i] += partials[i + half];
  }
  return partials[0];
}

// The mean distance between values `lag` apart, over the newest `blocks` times sixteen values. No distance counts more
// than `most`. NaN where fewer than `needed` pairs are present.
HWY_INLINE double MeanDistance(const float* newest, int lag, int blocks, float most, int needed) {
  const hn::CappedTag<float, math::kLanes> d;
  HWY_ALIGN float distances[math::kLanes], counts[math::kLanes];
  for (size_t lane = 0; lane < math::kLanes; lane += hn::Lanes(d)) {
    auto distance = hn::Zero(d), count = hn::Zero(d);
    const float* value = newest - (math::kLanes - 1) + lane;
    for (int block = 0; block < blocks; ++block, value -= math::kLanes) {
      const auto away = hn::Abs(hn::Sub(hn::LoadU(d, value), hn::LoadU(d, value - lag)));
      const auto present = hn::Eq(away, away);
      distance = hn::Add(distance, hn::IfThenElseZero(present, hn::Min(away, hn::Set(d, most))));
      count = hn::Add(count, hn::IfThenElseZero(present, hn::Set(d, 1.0f)));
    }
    hn::Store(distance, d, distances + lane);
    hn::Store(count, d, counts + lane);
  }
  const float count = Join(counts);
  return count < static_cast<float>(needed) ? std::numeric_limits<double>::quiet_NaN()
                                            : static_cast<double>(Join(distances)) / static_cast<double>(count);
}

double MeanDistanceAt(const float* newest, int lag, int blocks, float most, int needed) {
  return MeanDistance(newest, lag, blocks, most, needed);
}

// The mean distances at `count` lags from `first` on, each over the newest values that suffice for its lag.
void MeanDistances(const float* newest, int first, int count, float most, double* out) {
  for (int i = 0; i < count; ++i) {
    const int lag = first + i;
    out[i] = MeanDistance(newest, lag, std::min(kCompared, BlocksAt(lag)), most, NeededAt(lag));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::season
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::season {

HWY_EXPORT(MeanDistanceAt);
HWY_EXPORT(MeanDistances);

namespace {

constexpr uint64_t kYoungest = 96;  // no search before this token
// Sixteen lags cost a silent history 6 % more time, and forecasts less than 1 % (model/REASONS.md).
constexpr int kAtOnce = 16;  // lags that a probe looks at
// The best of a thousand lags looks good by chance. Without a trial, the reported sets lost 1 % to rain that happened
// to repeat (model/REASONS.md).
constexpr int kShortestTrial = 4;  // probes
// A lag beside the right lag is often found first, while a session is young. A neighbour therefore has less to prove.
constexpr double kBetter = 0.8;        // a lag must have less than this part of another season's error
constexpr double kBetterNearby = 0.9;  // the same part for a lag close to that season

// The part of the error at `first` that the error at `lag` has to stay below.
double PartOf(int lag, int first) { return IsSameSeason(lag, first) ? kBetterNearby : kBetter; }

// The length of a trial: about one season, counted in probes and in blocks of the values that come meanwhile.
int TrialOf(int lag) { return std::clamp(lag / kLanes + 1, kShortestTrial, static_cast<int>(kLongestTrial)); }

// The mean distances of values at any lag, in the units of the series; NaN where too few pairs are present.
class Distances {
 public:
  Distances(const float* newest, float unit) : newest_(newest), most_(LagErrors::kMost * unit) {}

  // Writes the mean distances at `count` lags from `first` on.
  void Write(int first, int count, double* out) const {
    HWY_DYNAMIC_DISPATCH(MeanDistances)(newest_, first, count, most_, out);
  }
  double At(int lag) const {
    double distance;
    Write(lag, 1, &distance);
    return distance;
  }

  // True if the newest values, at most `blocks` blocks, repeat better at `lag` than at `than` by the part of PartOf.
  bool AreLess(int lag, int than, int blocks) const {
    blocks = std::min({blocks, BlocksAt(lag), BlocksAt(than)});
    const int needed = std::min(kFewest, blocks * kLanes) / 2;
    const auto at = [&](int one) { return HWY_DYNAMIC_DISPATCH(MeanDistanceAt)(newest_, one, blocks, most_, needed); };
    return at(lag) < PartOf(lag, than) * at(than);
  }

 private:
  const float* newest_;
  float most_;
};

// The search as continued by one probe.
class Search {
 public:
  Search(uint64_t seq, const float* newest, int season, const SeasonScores& scores, LagErrors& errors)
      : seq_(seq), season_(season), distances_(newest, errors.unit), scores_(scores), errors_(errors) {}

  void GoOn() {
    if (errors_.tried_lag == 0) return LookOn();
    if (--errors_.trial_left == 0) EndTrial();
  }

 private:
  struct Candidate {
    int lag = 0;
    double score = std::numeric_limits<double>::infinity();
  };

  // The factor from a distance now to an error as averaged lately; not finite where lag 1 tells nothing.
  double Gain() const { return static_cast<double>(errors_.At(seq_, 1)) / distances_.At(1); }

  bool IsKnown(int lag) const {
    return std::binary_search(kLags.begin(), kLags.end(), lag) || errors_.FoundIndex(lag) < kFoundLags;
  }

  // The lag from `first` to `last` with the least score that is neither known nor worse than a neighbouring lag.
  Candidate BestOf(int first, int last, double gain) const {
    double distance[kAtOnce + 2];
    distances_.Write(first - 1, last - first + 3, distance);
    Candidate best;
    for (int lag = first; lag <= last; ++lag) {
      const double* at = distance + (lag - first + 1);
      // A lag with a better neighbour lies on the flank of a season, and not at the season.
      if (at[-1] < at[0] || at[1] < at[0] || IsKnown(lag)) continue;
      const double score = scores_.With(lag, at[0] * gain);
      if (score < best.score) best = {.lag = lag, .score = score};
    }
    return best;
  }

  void LookOn() {
    // Pairs over half a lag are needed (NeededAt), so the tokens must span one and a half lags.
    const int longest = static_cast<int>(std::min<uint64_t>(kLongestFound, 2 * (seq_ + 1) / 3));
    const int first = errors_.next_lag > longest ? kShortestSeason : errors_.next_lag;
    const int last = std::min(first + kAtOnce - 1, longest);
    errors_.next_lag = static_cast<uint16_t>(last < kLongestFound ? last + 1 : kShortestSeason);
    const double gain = Gain();
    if (!std::isfinite(gain)) return;
    const Candidate best = BestOf(first, last, gain);
    if (!(best.score < PartOf(best.lag, season_) * scores_.Of(season_))) return;
    if (!distances_.AreLess(best.lag, season_, BlocksAt(kShortestSeason))) return;
    errors_.tried_lag = static_cast<uint16_t>(best.lag);
    errors_.trial_left = static_cast<uint32_t>(TrialOf(best.lag));
  }

  // Judges the lag by the values since the trial began: a lag that was best by chance is no better on new values.
  void EndTrial() {
    const int lag = std::exchange(errors_.tried_lag, uint16_t{0});
    if (!distances_.AreLess(lag, season_, TrialOf(lag))) return;
    const double error = distances_.At(lag) * Gain();
    if (!std::isfinite(error)) return;
    const size_t place = PlaceFor(lag);
    errors_.found[place] = static_cast<uint16_t>(lag);
    errors_.found_mean[place] = static_cast<float>(std::min<double>(error, LagErrors::kMost));
  }

  // The place of a new lag: the place of nearly the same season, else a free place, else the place of the worse lag.
  size_t PlaceFor(int lag) const {
    for (size_t i = 0; i < kFoundLags; ++i) {
      if (errors_.found[i] != 0 && IsSameSeason(lag, errors_.found[i])) return i;
    }
    const size_t empty = errors_.FoundIndex(0);
    if (empty < kFoundLags) return empty;
    return scores_.OfFound(0) > scores_.OfFound(1) ? 0 : 1;
  }

  uint64_t seq_;
  int season_;
  Distances distances_;
  const SeasonScores& scores_;
  LagErrors& errors_;
};

}  // namespace

SeasonChoice ChooseAndSearch(uint64_t seq, const float* newest, LagErrors& errors) {
  const SeasonScores scores(seq, errors);
  const SeasonChoice choice = ChooseSeasons(scores);
  if (seq >= kYoungest && choice.first != 0) Search(seq, newest, choice.first, scores, errors).GoOn();
  return choice;
}

}  // namespace aaren::season
#endif
