#ifndef AAREN_SERVER_STORE_STORE_H_
#define AAREN_SERVER_STORE_STORE_H_

// A StateStore keeps saved sessions: rows and the facts needed to go on from the rows. The interface serves near and
// far stores: every call answers by a callback, and many calls are under way at once.
//
// Writers fence one another by epochs. Every Open draws a larger epoch, and every write names the epoch that the writer
// expects in the store: a compare-and-set. If two servers both believe to own a session, only one can write, and no
// save brings back a deleted session. Epochs come from one counter per store that deletion never resets.
//
// Threading: calls come from one thread at a time, the registrar's. Each call is answered exactly once, on any
// thread, perhaps before the call returns. Calls on one key are done in order. A store is destroyed after its last
// answer.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/store/session_point.h"

namespace aaren::store {

struct SavedRows {
  SessionPoint point;
  std::string rows;  // channels x row_bytes
};

// The facts of a session apart from its saves.
struct SessionHeader {
  std::string key;  // tenant, '/', id
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  SessionOrigin origin;
  uint64_t delivered_seq = 0;
  Attempt attempt;         // the last Open that held the session
  absl::Time last_active;  // a stamp (sessions/session/clock.h)
  std::string server;      // HOST:PORT of the server with the session open at the time of the write; empty: unknown
  // The server above holds the session, with tokens newer than any save, until this time, by the wall clock, and renews
  // the lease before. 1970: no lease.
  absl::Time leased_until;
};

// A session at rest. `saves` holds one or two saves, in order of seq. The first is durable (seq <= delivered_seq),
// except that a session without saves stands for the empty row at seq 0.
struct SessionRecord : SessionHeader {
  std::vector<SavedRows> saves;
  uint64_t stored_bytes = 0;  // bytes of the rows of the saves, set by Find and List
  // Why the save at damaged_seq is missing from `saves`: the rows cannot be read. OK: no save is damaged.
  absl::Status damage;
  uint64_t damaged_seq = 0;
};

// Takes a session for a new epoch, the epoch of `record`.
struct Acquisition {
  SessionRecord record;     // saves in `record`, if any, are new
  uint64_t held_epoch = 0;  // the epoch expected in the store; 0: no such session
  // The stored save at keep_seq stays, and must exist; 0 also means the empty row. None: no save stays.
  std::optional<uint64_t> keep_seq;
  // The newest stored save must be at newest_seq; 0: no save. None: any.
  std::optional<uint64_t> newest_seq;
};

// A save by the writer with the epoch and incarnation of `header`.
struct SaveWrite {
  SessionHeader header;
  SavedRows save;
  // The newest earlier save not above keep_seq stays beside the new save; 0: the empty row. None: no save stays.
  std::optional<uint64_t> keep_seq;
};

// Aborted: the store holds another epoch or incarnation, no session, or no save at keep_seq. ResourceExhausted: the
// store is full. Unavailable: the store cannot be reached, and the write may or may not have been done. After all other
// errors nothing has changed.
struct WriteResult {
  absl::Status status;
  uint64_t current_epoch = 0;  // with Aborted: the stored epoch; 0: no session
};

// True if the read session is damaged or of another version. Only a deletion or a new write changes that.
inline bool IsUnreadable(const absl::Status& status) {
  return absl::IsDataLoss(status) || absl::IsFailedPrecondition(status);
}

class StateStore {
 public:
  template <typename T>
  using Answer = absl::AnyInvocable<void(T)>;

  virtual ~StateStore() = default;

  virtual std::string name() const = 0;  // "memory"

  // True if other servers may have sessions in the store.
  virtual bool shared() const { return false; }

  // How often the store was connected to, or opened, again. Any thread.
  virtual uint64_t reconnects() const { return 0; }

  // Writes a little: whether anything can be written now.
  virtual void TryWrite(Answer<absl::Status> answer) { answer(absl::OkStatus()); }

  // The first of `count` epochs, all larger than any given out before.
  virtual void ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) = 0;

  // The record, without the rows of its saves: the cost of a load is known before the load. NotFound if the session
  // does not exist; DataLoss if the read bytes are damaged; FailedPrecondition if another version of the server wrote
  // the session.
  virtual void Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) = 0;

  // Like Find, with the rows.
  virtual void Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) = 0;

  virtual void Acquire(Acquisition acquisition, Answer<WriteResult> answer) = 0;

  // One result for each save.
  virtual void Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) = 0;

  // Without an epoch: deletes any session of the key, damaged or not.
  virtual void Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) = 0;

  // Up to `limit` records with keys that begin with `prefix` and are greater than `after`, in order of key, without the
  // rows of the saves.
  virtual void List(std::string prefix, std::string after, size_t limit,
                    Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) = 0;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_STORE_H_
