#ifndef AAREN_SERVER_SESSION_CLOCK_H_
#define AAREN_SERVER_SESSION_CLOCK_H_

// A Clock tells two times. `Now` drives the server: it begins at the wall clock's time and never steps, whatever an
// operator or NTP does to the wall clock later. `Wall` is the wall clock itself, for times that people read.
//
// What is stored is judged by later servers, and by others. A server that began before its clock was set right differs
// from them by as much, for as long as it lives. So a stamp is the later of its two times, and is compared with the
// earlier of the two: a clock that is wrong, or was, lets a session live longer and never ends one early.
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

  // What the wall clock shows for something that happened at `then` of Now.
  absl::Time WallAt(absl::Time then) const { return Wall() - (Now() - then); }

  // What to store of something that happened at `then` of Now.
  absl::Time StampOf(absl::Time then) const { return std::max(then, WallAt(then)); }

  // The other way round, for people.
  absl::Time WallOf(absl::Time stamp) const { return std::min(stamp, WallAt(stamp)); }

  // What stamps are compared with.
  absl::Time Earliest() const { return std::min(Now(), Wall()); }

  // This machine's.
  static const Clock& System();
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSION_CLOCK_H_
