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
constexpr int kCompared = 30;             // blocks of sixteen values, in the search
constexpr int kFewest = 64, kMany = 240;  // pairs that are needed of a short lag, and of a long one

// Blocks of sixteen values that can be compared at a lag.
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

// A sum in sixteen partials, in the one fixed tree.
HWY_INLINE float Join(float* partials) {
  for (size_t half = math::kLanes / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) partials[i] += partials[i + half];
  }
  return partials[0];
}

// The mean distance of the newest `blocks` times sixteen values at a lag, none beyond `most`; NaN where fewer than
// `needed` pairs are present.
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

// Of `count` lags from `first` on, by the newest values that are enough for each.
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

constexpr uint64_t kYoungest = 96;     // tokens, before which nothing is searched
constexpr int kAtOnce = 16;            // lags
constexpr int kShortestTrial = 4;      // probes
constexpr double kBetter = 0.8;        // than another season: the part of its error that is left
constexpr double kBetterNearby = 0.9;  // than nearly the same

// The part of an error at `first` that the one at `lag` has to be below.
double PartOf(int lag, int first) { return IsSameSeason(lag, first) ? kBetterNearby : kBetter; }

// About one season, in probes and in blocks of the values that come meanwhile.
int TrialOf(int lag) { return std::clamp(lag / kLanes + 1, kShortestTrial, static_cast<int>(kLongestTrial)); }

// The mean distances of values, in units of the series; NaN where too few are present.
class Distances {
 public:
  Distances(const float* newest, float unit) : newest_(newest), most_(LagErrors::kMost * unit) {}

  // At `count` lags from `first` on.
  void Write(int first, int count, double* out) const {
    HWY_DYNAMIC_DISPATCH(MeanDistances)(newest_, first, count, most_, out);
  }
  double At(int lag) const {
    double distance;
    Write(lag, 1, &distance);
    return distance;
  }

  // Whether the newest values repeat so much better at one lag than at another, over so many blocks at most.
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

// Of one probe.
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

  // What makes errors, as of late, of distances; not finite where that cannot be said.
  double Gain() const { return static_cast<double>(errors_.At(seq_, 1)) / distances_.At(1); }

  bool IsKnown(int lag) const {
    return std::binary_search(kLags.begin(), kLags.end(), lag) || errors_.FoundIndex(lag) < kFoundLags;
  }

  // The lag with the least score from `first` to `last` that is not known yet, and no worse than those beside it.
  Candidate BestOf(int first, int last, double gain) const {
    double distance[kAtOnce + 2];
    distances_.Write(first - 1, last - first + 3, distance);
    Candidate best;
    for (int lag = first; lag <= last; ++lag) {
      const double* at = distance + (lag - first + 1);
      if (at[-1] < at[0] || at[1] < at[0] || IsKnown(lag)) continue;
      const double score = scores_.With(lag, at[0] * gain);
      if (score < best.score) best = {.lag = lag, .score = score};
    }
    return best;
  }

  void LookOn() {
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

  // By the values since: what was the best of many by chance is no better there.
  void EndTrial() {
    const int lag = std::exchange(errors_.tried_lag, uint16_t{0});
    if (!distances_.AreLess(lag, season_, TrialOf(lag))) return;
    const double error = distances_.At(lag) * Gain();
    if (!std::isfinite(error)) return;
    const size_t place = PlaceFor(lag);
    errors_.found[place] = static_cast<uint16_t>(lag);
    errors_.found_mean[place] = static_cast<float>(std::min<double>(error, LagErrors::kMost));
  }

  // Where a lag is kept: that of nearly the same season, an empty place, or that of the worse one.
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
