#ifndef AAREN_MODEL_MATH_LANES_H_
#define AAREN_MODEL_MATH_LANES_H_

// Vectors of floats are padded with zeros to a multiple of kLanes and aligned to 64 bytes. So a kernel of any vector
// width up to kLanes has no remainder to treat, and no result can depend on a remainder.

#include <cstddef>

namespace aaren::math {

inline constexpr size_t kLanes = 16;

constexpr size_t PadToLanes(size_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

}  // namespace aaren::math

#endif  // AAREN_MODEL_MATH_LANES_H_
