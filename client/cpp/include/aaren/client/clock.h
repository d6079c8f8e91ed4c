#ifndef AAREN_CLIENT_CLOCK_H_
#define AAREN_CLIENT_CLOCK_H_

// A Clock tells the time and waits; tests replace the clock to avoid waiting. Safe from any thread.

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace aaren::client {

class Clock {
 public:
  virtual ~Clock() = default;

  virtual absl::Time Now() = 0;

  // Waits until `condition` holds or `timeout` passed; returns whether `condition` holds. A wall clock set back does
  // not prolong the wait. REQUIRES: `mutex` is held, not shared.
  virtual bool AwaitFor(absl::Mutex& mutex, const absl::Condition& condition, absl::Duration timeout)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) = 0;

  // The machine's.
  static Clock& Real();
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CLOCK_H_
