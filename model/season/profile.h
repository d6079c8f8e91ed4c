#ifndef AAREN_MODEL_SEASON_PROFILE_H_
#define AAREN_MODEL_SEASON_PROFILE_H_

// A Profile is the average course of a series over its season (model/README.md, rules 17.1 to 17.8): for each phase of
// the season, the mean distance of the values from the level. A mean over twenty seasons has a fifth of the noise of
// the value one season ago.
//
//   values   ╱╲_╱╲_╱╲_╱╲_    =    level  ──────────   +   offsets  ╱╲_   +   rest
//
// The profile is of the first season that the lag errors choose, unless that season is longer than kPhases. Another
// season replaces it once the season has been chosen at kTrials probes running; then the profile is learned anew from
// the remembered values, a few with each new token.
//
// The profile is a plain value without pointers and lies in the bytes of a row. Threading: a plain value.

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace aaren::season {

struct Profile {
  static constexpr size_t kPhases = 336;
  static constexpr uint16_t kTrials = 30;         // probes
  static constexpr uint8_t kMostSeasons = 20;     // seasons that an offset is the mean of, about
  static constexpr uint32_t kSeasonsOfLevel = 8;  // seasons that the level is the mean of, about

  uint16_t season;           // tokens; 0: no season
  uint16_t candidate;        // the season of the last probe; 0: none
  uint16_t run;              // probes that have chosen the candidate running, up to kTrials
  uint16_t behind;           // newest tokens of the series that are still to be learned from
  uint32_t values;           // values learned from, up to kSeasonsOfLevel seasons
  float level;               // relative to the row's origin
  float offset[kPhases];     // by token number modulo season, relative to the level
  uint8_t seasons[kPhases];  // values that the offset was learned from, up to kMostSeasons; 0: offset is 0

  // Makes this the profile of a season of which nothing is known.
  void Reset(uint16_t of_season = 0);
  // The same, of the candidate. The series has taken `seq` tokens; those that are remembered are still to be learned
  // from.
  void Begin(uint64_t seq);

  // Takes a probe's first season. True once another season than this profile's is to be learned.
  void Choose(uint16_t first);
  bool IsDue() const { return run >= kTrials; }

  // The offset of token `seq`; 0 where unknown. REQUIRES: season > 0.
  float At(uint64_t seq) const { return offset[seq % season]; }

  // Writes the offsets of `count` tokens from token `seq` on. REQUIRES: season > 0.
  void Write(uint64_t seq, size_t count, float* out) const;

  // Learns from the value of token `seq`, NaN if missing. REQUIRES: season > 0.
  void Learn(uint64_t seq, float value);

  // Makes the level `distance` less.
  void Shift(double distance);

  // DataLoss naming the number if no series can have left such a profile after `seq` tokens.
  absl::Status Check(uint64_t seq) const;
};
static_assert(sizeof(Profile) == 16 + Profile::kPhases * 5);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_PROFILE_H_
