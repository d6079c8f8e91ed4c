#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_LEASE_WATCH_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_LEASE_WATCH_H_

// A LeaseWatch finds the sessions of servers that have ended without a word. The record of such a session says that a
// stream has the session open. A running server writes open sessions anew every eighth of the time to live. So a record
// that stands unchanged for half of the time to live is abandoned. Only this server's clock counts: other clocks may be
// wrong.
//
// Threading: belongs to the registrar's thread.

#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "server/store/store.h"

namespace aaren::registrar {

class LeaseWatch {
 public:
  // A sweep meets the record. True if the record has not changed for `unchanged_for`.
  bool IsAbandoned(const store::SessionRecord& record, absl::Time now, absl::Duration unchanged_for) {
    Seen seen = {record.epoch, record.last_active, now};
    const auto before = seen_.find(record.key);
    if (before != seen_.end() && before->second.epoch == seen.epoch && before->second.last_active == seen.last_active) {
      seen.since = before->second.since;
    }
    const bool abandoned = now - seen.since >= unchanged_for;
    if (!abandoned) met_[record.key] = seen;
    return abandoned;
  }

  // Forgets the records that the sweep did not meet.
  void EndSweep() { seen_ = std::exchange(met_, {}); }

 private:
  struct Seen {
    uint64_t epoch;
    absl::Time last_active;
    absl::Time since;
  };

  absl::flat_hash_map<std::string, Seen> seen_, met_;  // by the last sweep, and by the sweep under way
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_LEASE_WATCH_H_
