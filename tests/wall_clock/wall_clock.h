#ifndef AAREN_TESTS_WALL_CLOCK_WALL_CLOCK_H_
#define AAREN_TESTS_WALL_CLOCK_WALL_CLOCK_H_

// The wall clock of this program, as an operator or NTP would set it. Monotonic time and the kernel's own clock stay.
//
// To test a wait during which the clock is set back: begin a wait until a time of the wall clock while the wall clock
// is ahead of the kernel's; the wait ends when the kernel's clock reaches the time.
//
// Threading: any thread. A test sets the clock back to zero.

#include <cstdint>

namespace aaren::wall_clock {

// Puts the wall clock ahead by `seconds` from now on.
void SetAhead(int64_t seconds);

}  // namespace aaren::wall_clock

#endif  // AAREN_TESTS_WALL_CLOCK_WALL_CLOCK_H_
