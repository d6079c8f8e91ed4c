#ifndef AAREN_MODEL_ENGINE_EVENTS_KEEPS_H_
#define AAREN_MODEL_ENGINE_EVENTS_KEEPS_H_

// The rates of an EventMemory's running means: the share that is kept per event. Weights are trained for these numbers.

#include <array>
#include <cstddef>
#include <cstdint>

namespace aaren::events {

inline constexpr double kLogKeep[] = {0.98, 0.5, 0.8, 0.95, 0.99};  // the first gives r
inline constexpr double kGapKeep[] = {0.8, 0.95, 0.99};
inline constexpr double kTieKeep = 0.9, kRepeatKeep = 0.95, kPhaseKeep = 0.995;
inline constexpr double kMarkKeep[] = {0.9, 0.99}, kFreshKeep[] = {0.8, 0.97};
// Traces decay over these multiples of the scale: 10^-1, 10^-0.5, ..., 10^3.5.
inline constexpr double kTraceScales[] = {0.1, 0.31622776601683794, 1,    3.1622776601683795, 10, 31.622776601683793,
                                          100, 316.22776601683796,  1000, 3162.2776601683795};
inline constexpr double kDay = 86400, kWeek = 7 * kDay;  // seconds
inline constexpr double kPeriods[] = {kDay, kDay / 2, kDay / 3, kWeek, kWeek / 2};
inline constexpr int kMostRecent = 12;       // events over which means of a mark average
inline constexpr double kLeastTime = 1e-12;  // seconds: a time is no less where its logarithm is taken

// The place of a pair of slots in EventMemory::pairs.
inline size_t PairOf(uint8_t before, uint8_t slot) { return (before * 37u + slot) % 256u; }

// kMarkKeep[k] to the power of `events`; 0 from 1024 events on.
inline float KeptOver(size_t k, uint32_t events) {
  static const auto tables = [] {
    std::array<std::array<float, 1024>, 2> all;
    for (size_t rate = 0; rate < 2; ++rate) {
      double kept = 1;
      for (float& one : all[rate]) {
        one = static_cast<float>(kept);
        kept *= kMarkKeep[rate];
      }
    }
    return all;
  }();
  return events < 1024 ? tables[k][events] : 0.0f;
}

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_KEEPS_H_
