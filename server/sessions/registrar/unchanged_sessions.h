#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_UNCHANGED_SESSIONS_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_UNCHANGED_SESSIONS_H_

// UnchangedSessions are stored sessions whose records a walk over the store has met before, unchanged. A time in a
// record may be wrong: another server wrote the time, or this server by a clock that was set since. How long a record
// stands unchanged only this server's Now tells, and Now never steps.
//
// Threading: a plain value.

#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace aaren::registrar {

class UnchangedSessions {
 public:
  // The numbers that change whenever a session is used.
  struct Sign {
    uint64_t epoch;
    absl::Time last_active;

    bool operator==(const Sign&) const = default;
  };

  // A walk meets the session. True if the session has shown the same sign for `unchanged_for`.
  bool Stood(const std::string& key, const Sign& sign, absl::Time now, absl::Duration unchanged_for) {
    const auto before = seen_.find(key);
    const absl::Time since = before != seen_.end() && before->second.first == sign ? before->second.second : now;
    const bool stood = now - since >= unchanged_for;
    if (!stood) met_[key] = {sign, since};
    return stood;
  }

  // Forgets the sessions that the walk did not meet.
  void EndWalk() { seen_ = std::exchange(met_, {}); }

 private:
  using Seen = absl::flat_hash_map<std::string, std::pair<Sign, absl::Time>>;

  Seen seen_, met_;  // by the last walk, and by the walk under way
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_UNCHANGED_SESSIONS_H_
