#ifndef AAREN_MODEL_SEASON_LAG_BANK_H_
#define AAREN_MODEL_SEASON_LAG_BANK_H_

// The bank of lags at which a series is compared with its own past. The bank has every short lag and calendar periods
// with their multiples and halves. The period of most series is in the bank or close to a lag of the bank.

#include <array>
#include <cstddef>
#include <cstdint>

namespace aaren::season {

// In ascending order. Lag 1 is no season: its error says how much a series moves from one value to the next.
inline constexpr std::array<int, 72> kLags = {
    1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,   16,   18,   20,
    21,  22,  24,  26,  28,  30,  32,  36,  40,  42,  45,  48,  52,  56,  60,   64,   70,   72,
    80,  84,  90,  96,  104, 108, 112, 120, 128, 132, 144, 156, 168, 180, 192,  216,  240,  260,
    288, 300, 336, 365, 400, 432, 480, 504, 576, 600, 672, 720, 864, 960, 1008, 1152, 1200, 1440};
inline constexpr size_t kLagCount = kLags.size();

// The shortest lag considered a season, and its index in the bank.
inline constexpr int kShortestSeason = 4;
inline constexpr size_t kFirstSeason = 3;
static_assert(kLags[kFirstSeason] == kShortestSeason);

// The search (lag_search.h) may find seasons at lags outside the bank.
inline constexpr size_t kFoundLags = 2;        // places of a row
inline constexpr int kLongestFound = 1248;     // tokens
inline constexpr uint32_t kLongestTrial = 30;  // probes

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_LAG_BANK_H_
