#ifndef AAREN_MODEL_SEASON_THINNING_H_
#define AAREN_MODEL_SEASON_THINNING_H_

// A Thinning describes a series with regular holes: a slow sensor in a table of fast sensors has a value in every
// second, sixth or twelfth row, and none between (model/README.md, rules 2.13 to 2.19). The network sees the series
// of the values, without the holes: a network that sees mostly holes takes them for calm.
//
//   tokens  . . x . . x . . x .      every = 3, since = 1
//   places      2     1     0        one place for each third token, newest first
//
// Threading: plain values.

#include <cstddef>
#include <cstdint>

#include "model/season/seasons.h"
#include "model/season/sources.h"
#include "model/season/value_memory.h"

namespace aaren::season {

struct Thinning {
  int every = 1;  // tokens from place to place; 1: no regular holes
  int since = 0;  // tokens since the newest place, below `every`

  // The number of the step of places, from 1, that covers the step `ahead` of tokens. A step without a value is
  // forecast as the next value.
  int StepOf(int ahead) const { return (ahead - 1 + since) / every + 1; }
};

// The thinning by the distances of the newest values. `newest` points to the newest of at least kThinningTokens values,
// NaN where missing.
inline constexpr int kThinningTokens = 192;
Thinning ThinningOf(const float* newest);

// Writes the values at the places of `past` to `window` and returns them as a past of their own.
Past Thinned(const Past& past, const Thinning& thinning, ValueMemory::Window& window);

// The seasons in places, and places in tokens again. A season that is no whole number of places is none.
SeasonChoice Thinned(const SeasonChoice& choice, const Thinning& thinning);
SeasonChoice InTokens(const SeasonChoice& places, const Thinning& thinning);

// Turns numbers by steps of places, [steps, width], into numbers by steps of tokens, in place.
void Spread(const Thinning& thinning, size_t steps, size_t width, float* numbers);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_THINNING_H_
