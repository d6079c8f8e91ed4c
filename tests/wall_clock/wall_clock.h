#ifndef AAREN_TESTS_WALL_CLOCK_WALL_CLOCK_H_
#define AAREN_TESTS_WALL_CLOCK_WALL_CLOCK_H_

// The wall clock of this program, as an operator or NTP would set it. Monotonic time and the kernel's own clock stay.
//
// A wait that is set to begin now and to end at a time of the wall clock, while that is ahead of the kernel's, is one
// during which the clock is set back: it ends when the kernel's clock is there.
//
// Threading: any thread. A test sets it back to zero.

#include <cstdint>

namespace aaren::wall_clock {

// By how much it is ahead from now on.
void SetAhead(int64_t seconds);

}  // namespace aaren::wall_clock

#endif  // AAREN_TESTS_WALL_CLOCK_WALL_CLOCK_H_
