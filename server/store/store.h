#ifndef AAREN_SERVER_STORE_STORE_H_
#define AAREN_SERVER_STORE_STORE_H_

// A StateStore keeps saved sessions: rows and what is needed to go on from them. One interface, several places to keep
// them.
//
// Every write carries the epoch of its writer; a store refuses a write older than what it holds, so two servers that
// both believe they own a session cannot overwrite one another. Epochs come from one counter per store that deletion
// never resets.
//
// Threading: calls may block and come from one thread at a time (the registrar's); a store is shared by no two
// registrars in a process.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/store/session_point.h"

namespace aaren {

struct SavedRows {
  SessionPoint point;
  std::string rows;  // channels x row_bytes
};

// What belongs to a session whatever was saved of it.
struct SessionHeader {
  std::string key;  // tenant, '/', id
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  SessionOrigin origin;
  uint64_t delivered_seq = 0;
  Attempt attempt;  // of the Open that had it last
  absl::Time last_active;
};

// A session at rest. `saves` holds one or two, in order of seq; the first is durable (seq <= delivered_seq), except
// that no save at all stands for the empty row at seq 0.
struct SessionRecord : SessionHeader {
  std::vector<SavedRows> saves;
};

class StateStore {
 public:
  virtual ~StateStore() = default;

  virtual std::string name() const = 0;  // "memory"

  // The next epoch, larger than any given out before. Unavailable if the store cannot be reached.
  virtual absl::StatusOr<uint64_t> NextEpoch() = 0;

  // NotFound if there is no such session.
  virtual absl::StatusOr<SessionRecord> Load(const std::string& key) = 0;

  // Puts the record in the place of the one before. Aborted if that one has a larger epoch, ResourceExhausted if there
  // is no room for it: the one before is then still there.
  virtual absl::Status Save(SessionRecord record) = 0;

  // Aborted if the record has a larger epoch; ok if there is none.
  virtual absl::Status Delete(const std::string& key, uint64_t epoch) = 0;

  // Up to `limit` records with keys that begin with `prefix` and are greater than `after`, in order of key; their saves
  // without the rows.
  virtual absl::StatusOr<std::vector<SessionRecord>> List(const std::string& prefix, const std::string& after,
                                                          size_t limit) = 0;
};

}  // namespace aaren

#endif  // AAREN_SERVER_STORE_STORE_H_
