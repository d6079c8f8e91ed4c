#ifndef AAREN_SERVER_STORE_STORE_H_
#define AAREN_SERVER_STORE_STORE_H_

// A StateStore keeps saved sessions: rows and what is needed to go on from them. One interface, several places to keep
// them, near or far: every call answers by a callback, and many calls are under way at once.
//
// Writers fence one another by epochs. Every Open draws a larger one, and every write names the epoch that it expects
// to find: a compare-and-set. So of two servers that both believe they own a session only one can write, and a save
// never brings back a session that was deleted. Epochs come from one counter per store that deletion never resets.
//
// Threading: calls come from one thread at a time (the registrar's). Each is answered exactly once, on any thread,
// perhaps before it returns. Calls on one key are done in the order they were made. A store is destroyed after its last
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

// What belongs to a session whatever was saved of it.
struct SessionHeader {
  std::string key;  // tenant, '/', id
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  SessionOrigin origin;
  uint64_t delivered_seq = 0;
  Attempt attempt;         // of the Open that had it last
  absl::Time last_active;  // a stamp (session/clock.h)
  std::string server;  // HOST:PORT of the server where a stream had it open when this was written; empty: none is told
  // Until when that server is taken to have it, and newer tokens than any save; it writes anew before. By the wall
  // clock. 1970: none has.
  absl::Time leased_until;
};

// A session at rest. `saves` holds one or two, in order of seq; the first is durable (seq <= delivered_seq), except
// that no save at all stands for the empty row at seq 0.
struct SessionRecord : SessionHeader {
  std::vector<SavedRows> saves;
  uint64_t stored_bytes = 0;  // of the rows of its saves, as Find and List tell
  // Why the save at damaged_seq is not among them, though its session has it: its rows cannot be read. OK: all are.
  absl::Status damage;
  uint64_t damaged_seq = 0;
};

// Takes a session for a new epoch, that of `record`.
struct Acquisition {
  SessionRecord record;     // its saves, if any, are new
  uint64_t held_epoch = 0;  // what the store must hold; 0: no such session
  // Of the saves that it holds, the one at this seq stays, 0 being the empty row too; it must be there. None: no save.
  std::optional<uint64_t> keep_seq;
  // Of the saves that it holds, the newest is at this seq, 0 standing for none. None: wherever it is.
  std::optional<uint64_t> newest_seq;
};

// A save of the writer who has the epoch and incarnation of `header`.
struct SaveWrite {
  SessionHeader header;
  SavedRows save;
  std::optional<uint64_t> keep_seq;  // the one before that stays beside it; 0: the empty row
};

// Aborted: the store holds another epoch, incarnation or nothing, or not the save that was to stay. ResourceExhausted:
// there is no room. Unavailable: the store cannot be reached; whether the write was done is not known. In all others
// nothing has changed.
struct WriteResult {
  absl::Status status;
  uint64_t current_epoch = 0;  // with Aborted: what the store holds; 0: nothing
};

// Whether what was read, but for being deleted or written anew, stays as it is: damaged, or of another version.
inline bool IsUnreadable(const absl::Status& status) {
  return absl::IsDataLoss(status) || absl::IsFailedPrecondition(status);
}

class StateStore {
 public:
  template <typename T>
  using Answer = absl::AnyInvocable<void(T)>;

  virtual ~StateStore() = default;

  virtual std::string name() const = 0;  // "memory"

  // Whether other servers may have sessions in it.
  virtual bool shared() const { return false; }

  // How often it was connected to, or opened, again. Any thread.
  virtual uint64_t reconnects() const { return 0; }

  // Writes a little: whether anything can be written now.
  virtual void TryWrite(Answer<absl::Status> answer) { answer(absl::OkStatus()); }

  // The first of `count` epochs, all larger than any given out before.
  virtual void ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) = 0;

  // The record, its saves without the rows: what it costs to load is known before it is loaded. NotFound if there is no
  // such session; DataLoss if what is there is damaged, as far as it was read; FailedPrecondition if another version of
  // the server wrote it.
  virtual void Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) = 0;

  // As Find, with the rows.
  virtual void Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) = 0;

  virtual void Acquire(Acquisition acquisition, Answer<WriteResult> answer) = 0;

  // One result for each save.
  virtual void Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) = 0;

  // Without an epoch: whatever is there, damaged or not.
  virtual void Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) = 0;

  // Up to `limit` records with keys that begin with `prefix` and are greater than `after`, in order of key; their saves
  // without the rows.
  virtual void List(std::string prefix, std::string after, size_t limit,
                    Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) = 0;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_STORE_H_
