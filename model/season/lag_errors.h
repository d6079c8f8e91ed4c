#ifndef AAREN_MODEL_SEASON_LAG_ERRORS_H_
#define AAREN_MODEL_SEASON_LAG_ERRORS_H_

// LagErrors remembers, for each lag p of the bank and each found lag, how well the value p tokens ago forecasts a
// series. The error of a lag is the mean of |x_t - x_(t-p)| over all tokens, and forgets exponentially from 1,500
// tokens on. A token with a missing value on either side teaches nothing.
//
// Errors are in units of the series' scale at the time. A single error counts at most 4, so that a series that has
// moved to another level or scale is not measured for long by its past. LagErrors lies in the bytes of a row.
//
// Threading: a plain value.

#include <cstdint>

#include "absl/status/status.h"
#include "model/season/lag_bank.h"
#include "model/season/value_memory.h"

namespace aaren::season {

struct LagErrors {
  static constexpr uint64_t kMemory = 1500;  // tokens
  static constexpr uint64_t kFirst = 17;     // the first token with a known scale
  static constexpr float kMost = 4.0f;       // scales

  float unit;             // the scale; 0 before the first scale is known, while nothing is compared
  float mean[kLagCount];  // in [0, kMost]; NaN before the first comparison

  float found_mean[kFoundLags];  // the same for the found lags
  uint16_t found[kFoundLags];    // lags outside the bank; 0 in a free place
  uint16_t next_lag;             // the first lag of the next search
  uint16_t tried_lag;            // the lag on trial; 0 if none is on trial
  uint32_t trial_left;           // probes until the trial ends

  static constexpr float kLeastUnit = 1e-31f;  // above 0, because a unit of 0 stands for no scale

  void Reset();

  // Sets the unit of the errors of later tokens. REQUIRES: scale > 0.
  void SetUnit(double scale);

  // Compares `value`, which is the value of token `seq`, with earlier values, all clamped to `bounds`. REQUIRES:
  // `memory` holds `value` already.
  void Add(uint64_t seq, float value, const Bounds& bounds, const ValueMemory& memory);

  // How many lags of the bank, the shortest first, were compared often enough by token `seq`: at least eight times, and
  // at least half the lag. The errors of these lags are believed where present.
  static size_t Comparable(uint64_t seq);

  // The error at a lag of the bank. Any other lag has the error of a found lag that divides the lag, or else of the
  // next longer lag of the bank. NaN if that error is not believed after token `seq`.
  float At(uint64_t seq, int lag) const;

  // The index of a found lag, or kFoundLags if `lag` is not found.
  size_t FoundIndex(int lag) const;

  // DataLoss naming the number if no series can have left such errors after `seq` tokens.
  absl::Status Check(uint64_t seq) const;

 private:
  absl::Status CheckFound(uint64_t seq) const;
};
static_assert(sizeof(LagErrors) == (1 + kLagCount + kFoundLags) * 4 + kFoundLags * 2 + 8);

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_LAG_ERRORS_H_
