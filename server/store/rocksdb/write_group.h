#ifndef AAREN_SERVER_STORE_ROCKSDB_WRITE_GROUP_H_
#define AAREN_SERVER_STORE_ROCKSDB_WRITE_GROUP_H_

// A WriteGroup is one write of RocksDB: the writes of many calls, and the answers that wait until RocksDB has the
// writes. A call sees the headers written by earlier calls of the group. Threading: belongs to the store's thread.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rocksdb/db.h"
#include "rocksdb/write_batch.h"
#include "server/store/format/stored_header.h"
#include "server/store/rocksdb/folder_lock.h"
#include "server/store/rocksdb/held_cache.h"
#include "server/store/rocksdb/ledger.h"

namespace aaren::store {

// RocksDB's status of a failed read in the server's words: DataLoss if the bytes are damaged or their file is gone;
// else Unavailable.
absl::Status FromRead(const rocksdb::Status& status, const FolderLock& folder);

// Keys of the database.
std::string HeaderKey(const std::string& key);
std::string RowsKey(const std::string& key, uint8_t slot);

class WriteGroup {
 public:
  // All arguments but `failed` outlive this. `db` is null while there is no database. `ledger` is marked before
  // answers. `failed` is the reason why the database, since it was opened, takes no more writes; OK if it takes writes.
  WriteGroup(rocksdb::DB* db, HeldCache& held, const FolderLock& folder, Ledger& ledger, absl::Status failed)
      : db_(db), held_(held), folder_(folder), ledger_(ledger), failed_(std::move(failed)) {}

  // Nothing if the store has no session of this key.
  absl::StatusOr<std::optional<StoredHeader>> Header(const std::string& key);

  // Like Header, but perhaps with the epoch, the incarnation and the slots alone: enough for a save.
  absl::StatusOr<std::optional<StoredHeader>> Held(const std::string& key);

  // The rows of a slot, checked. REQUIRES: no write of the session waits.
  absl::StatusOr<std::string> Rows(const std::string& key, const StoredSlot& slot);

  // The session with its rows. If one of two saves is damaged, the record has the sound save. NotFound if the store has
  // no session of this key. REQUIRES: as Rows.
  absl::StatusOr<SessionRecord> Session(const std::string& key);

  // Writes `next` as the header of the session, and `saves` as the rows of the last slots. `held` is the header before.
  void Put(const StoredHeader* held, const StoredHeader& next, const std::vector<SavedRows>& saves);
  void Remove(const StoredHeader& held);
  void RemoveDamaged(const std::string& key);  // all keys that the session may have
  void PutRaw(const std::string& key, const std::string& value) { batch_.Put(key, value); }

  // Called after the group was committed, with its status.
  void Then(absl::AnyInvocable<void(const absl::Status&)> answer) { answers_.push_back(std::move(answer)); }

  // True if a write of the session waits for Commit.
  bool Touches(const std::string& key) const { return headers_.contains(key); }
  size_t bytes() const { return batch_.GetDataSize(); }

  // Writes the group, and answers.
  void Commit();
  absl::Status CommitSynced();  // … onto the disk, under any durability

  // The status of the first write that failed; nothing was written since. `damaged`: the database is damaged.
  const absl::Status& failed() const { return failed_; }
  bool damaged() const { return damaged_; }

 private:
  absl::Status Write(bool sync);
  void NoteWritten();

  rocksdb::DB* const db_;
  HeldCache& held_;
  const FolderLock& folder_;
  Ledger& ledger_;
  absl::Status failed_;
  bool damaged_ = false;
  rocksdb::WriteBatch batch_;
  absl::flat_hash_map<std::string, std::optional<StoredHeader>> headers_;  // waiting for Commit; nothing: deleted
  std::vector<absl::AnyInvocable<void(const absl::Status&)>> answers_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_WRITE_GROUP_H_
