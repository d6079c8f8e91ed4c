#ifndef AAREN_SERVER_STORE_TOKEN_CLOCK_H_
#define AAREN_SERVER_STORE_TOKEN_CLOCK_H_

// The TokenClock of a session: the time of the latest token and the step between token times. Both follow from the
// times of the tokens one by one, and never from the cutting of tokens into items.

#include <cstdint>

namespace aaren::store {

struct TokenClock {
  int64_t last_time_ns = INT64_MIN;  // INT64_MIN: no token had a time
  int64_t step_ns = 0;               // the last positive difference between two times; 0: none yet

  bool has_times() const { return last_time_ns != INT64_MIN; }

  // REQUIRES: the time is not before the last.
  void Advance(int64_t time_ns) {
    int64_t step = 0;
    const bool fits = !__builtin_sub_overflow(time_ns, last_time_ns, &step);
    if (has_times() && fits && step > 0) step_ns = step;
    last_time_ns = time_ns;
  }
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_TOKEN_CLOCK_H_
