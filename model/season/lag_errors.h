#ifndef AAREN_MODEL_SEASON_LAG_ERRORS_H_
#define AAREN_MODEL_SEASON_LAG_ERRORS_H_

// LagErrors remembers, for each lag of the bank and for those found besides, how well a series is forecast by its
// value that long ago. That is the mean of |x_t - x_(t-p)| over all tokens, which forgets exponentially from 1,500 of
// them on. Where either is missing nothing is learned. Errors are in units of the series' scale at the time, and none
// counts more than 4. A series that has moved to another level or another scale is not measured for long by what it
// was. It lies in the bytes of a row.
//
// Threading: a plain value.

#include <cstdint>

#include "absl/status/status.h"
#include "model/season/lag_bank.h"
#include "model/season/value_memory.h"

namespace aaren::season {

struct LagErrors {
  static constexpr uint64_t kMemory = 1500;  // tokens
  static constexpr uint64_t kFirst = 17;     // the token by which a scale is known
  static constexpr float kMost = 4.0f;       // scales

  float unit;             // the scale; 0 while there is none, and nothing is compared
  float mean[kLagCount];  // in [0, kMost]; NaN where nothing was compared yet

  float found_mean[kFoundLags];  // likewise, of these lags
  uint16_t found[kFoundLags];    // no lags of the bank; 0 where there is none
  uint16_t next_lag;             // where the search goes on
  uint16_t tried_lag;            // 0 where none is
  uint32_t trial_left;           // probes until it is judged

  static constexpr float kLeastUnit = 1e-31f;

  void Reset();

  // Of the values to come. REQUIRES: above 0.
  void SetUnit(double scale);

  // Compares `value`, that of token `seq`, within `bounds`, with those before it. REQUIRES: `memory` holds it already.
  void Add(uint64_t seq, float value, const Bounds& bounds, const ValueMemory& memory);

  // How many lags of the bank, the shorter ones, were there to compare often enough by token `seq`: as many times as
  // half the lag, and eight. Their errors are to be believed where they are present.
  static size_t Comparable(uint64_t seq);

  // The error at a lag of the bank or else of a found one or its multiples; else at the next longer lag of the bank.
  // NaN if that is not to be believed after token `seq`.
  float At(uint64_t seq, int lag) const;

  // The number of the found lag that this is; kFoundLags if it is none.
  size_t FoundIndex(int lag) const;

  // DataLoss naming the number if no series can have left such errors after `seq` tokens.
  absl::Status Check(uint64_t seq) const;

 private:
  absl::Status CheckFound(uint64_t seq) const;
};
static_assert(sizeof(LagErrors) == (1 + kLagCount + kFoundLags) * 4 + kFoundLags * 2 + 8);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_LAG_ERRORS_H_
