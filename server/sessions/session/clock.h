#ifndef AAREN_SERVER_SESSIONS_SESSION_CLOCK_H_
#define AAREN_SERVER_SESSIONS_SESSION_CLOCK_H_

// A Clock tells two times. `Now` drives the server: it begins at the wall clock's time and never steps, even if an
// operator or NTP steps the wall clock. `Wall` is the wall clock itself, for times that people read.
//
// Later servers and other servers judge the stored times. A server that began with a wrong clock differs from the
// others for as long as the server lives. So a stamp is the later of the two times, and is compared with the earlier of
// the two: a wrong clock lets a session live longer and never ends a session early.
//
// Threading: any thread.

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"

namespace aaren::session {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t NowNanos() const = 0;  // since 1970-01-01 UTC, as of the start; never goes back
  virtual absl::Time Wall() const = 0;

  absl::Time Now() const { return absl::FromUnixNanos(NowNanos()); }

  // The wall clock's time at `then` of Now.
  absl::Time WallAt(absl::Time then) const { return Wall() - (Now() - then); }

  // The stamp to store for `then` of Now.
  absl::Time StampOf(absl::Time then) const { return std::max(then, WallAt(then)); }

  // The wall clock's time of a stamp, for people.
  absl::Time WallOf(absl::Time stamp) const { return std::min(stamp, WallAt(stamp)); }

  // The time to compare stamps with.
  absl::Time Earliest() const { return std::min(Now(), Wall()); }

  // The clock of this machine.
  static const Clock& System();
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_CLOCK_H_
