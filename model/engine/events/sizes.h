#ifndef AAREN_MODEL_ENGINE_EVENTS_SIZES_H_
#define AAREN_MODEL_ENGINE_EVENTS_SIZES_H_

// The sizes of the forecaster of events. Sizes are constants, because all forecasters of events have one shape.

#include <cstddef>

namespace aaren::events {

inline constexpr size_t kWidth = 64, kBlocks = 2, kHeads = 8, kValueWidth = 128, kHidden = 128;
inline constexpr size_t kMarkHidden = 32;

// The time head: a mixture over places, the logarithm of the interval that comes less r at first (outlook.h).
inline constexpr size_t kLogNormals = 4, kWeibulls = 4, kCopies = 16;
inline constexpr size_t kComponents = kLogNormals + kWeibulls + kCopies + 1;  // the last is after the present mark

// The places of the head's numbers.
enum TimeNumber : size_t {
  kLogit = 0,                                 // [25]: log-normals, Weibulls, copies, after the mark
  kNormalMean = kComponents,                  // [4]
  kNormalSpread = kNormalMean + kLogNormals,  // [4]
  kWeibullMean = kNormalSpread + kLogNormals,
  kWeibullSpread = kWeibullMean + kWeibulls,
  kCopySpread = kWeibullSpread + kWeibulls,
  kAfterShift,
  kAfterStretch,  // logarithm of the factor on the deviation after the mark
  kTieLogit,
  kTimeNumbers
};

inline constexpr float kLeastSpread = 0.03f;  // the least spread of a component; softplus adds to the least

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_SIZES_H_
