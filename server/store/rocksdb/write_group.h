#ifndef AAREN_SERVER_STORE_ROCKSDB_WRITE_GROUP_H_
#define AAREN_SERVER_STORE_ROCKSDB_WRITE_GROUP_H_

// A WriteGroup is what RocksDB gets at once: the writes of many calls, and the answers that wait until they are there.
// A call sees the headers that those before it in the group have written. Threading: belongs to the store's thread.

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

// What RocksDB says of a read that failed, as the server's words: DataLoss for what is damaged, or in a file that is
// gone; else Unavailable.
absl::Status FromRead(const rocksdb::Status& status, const FolderLock& folder);

// Under which key something is.
std::string HeaderKey(const std::string& key);
std::string RowsKey(const std::string& key, uint8_t slot);

class WriteGroup {
 public:
  // All but `failed` outlive this; no db: there is none now. `ledger` is marked before answers. `failed`: why nothing
  // can be written any more, since the database was opened; ok: it can.
  WriteGroup(rocksdb::DB* db, HeldCache& held, const FolderLock& folder, Ledger& ledger, absl::Status failed)
      : db_(db), held_(held), folder_(folder), ledger_(ledger), failed_(std::move(failed)) {}

  // None if there is no such session.
  absl::StatusOr<std::optional<StoredHeader>> Header(const std::string& key);

  // As Header, but perhaps only its epoch, incarnation and slots: what a save needs.
  absl::StatusOr<std::optional<StoredHeader>> Held(const std::string& key);

  // The rows of a slot, checked. REQUIRES: no write of the session waits.
  absl::StatusOr<std::string> Rows(const std::string& key, const StoredSlot& slot);

  // With its rows. Of two saves one may be damaged: whoever needs the other has it. NotFound if there is no such
  // session. REQUIRES: as Rows.
  absl::StatusOr<SessionRecord> Session(const std::string& key);

  // The session is what `next` says from now on; `saves` are the rows of its last slots, `held` what it was.
  void Put(const StoredHeader* held, const StoredHeader& next, const std::vector<SavedRows>& saves);
  void Remove(const StoredHeader& held);
  void RemoveDamaged(const std::string& key);  // whatever is there
  void PutRaw(const std::string& key, const std::string& value) { batch_.Put(key, value); }

  // Is called when everything so far is written, or was not.
  void Then(absl::AnyInvocable<void(const absl::Status&)> answer) { answers_.push_back(std::move(answer)); }

  // Whether a write of the session waits to be written.
  bool Touches(const std::string& key) const { return headers_.contains(key); }
  size_t bytes() const { return batch_.GetDataSize(); }

  // Writes what there is, and answers.
  void Commit();
  absl::Status CommitSynced();  // on the disk, whatever else is written there

  // Why nothing was written, from the first write on that failed; and whether that was damage to the database.
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
  absl::flat_hash_map<std::string, std::optional<StoredHeader>> headers_;  // that wait to be written; none: deleted
  std::vector<absl::AnyInvocable<void(const absl::Status&)>> answers_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_WRITE_GROUP_H_
