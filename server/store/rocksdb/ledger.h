#ifndef AAREN_SERVER_STORE_ROCKSDB_LEDGER_H_
#define AAREN_SERVER_STORE_ROCKSDB_LEDGER_H_

// A Ledger tells, beside the database, the content that the database must have. RocksDB accepts a MANIFEST or a log
// that has lost its end, and deletes the files that the lost end of a MANIFEST named.
//
//   ledger   a copy of the MANIFEST as RocksDB last synced it, made on RocksDB's thread after each flush and
//            compaction. A MANIFEST only grows, and a later MANIFEST has a higher number. So the database may be ahead
//            of the ledger, never behind
//   mark     the number of the last answered write, and the boot of the machine at that time. The store's thread
//            overwrites the mark after a group went to RocksDB's log and before the group is answered. So the log may
//            be ahead of the mark, never behind. The mark is not synced: the end of the process spares the mark
//
// folder_check.h compares both with the database. Threading: SetMark and Mark by one thread, the rest by any.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace rocksdb {
class DB;
class EventListener;
}  // namespace rocksdb

namespace aaren::store {

// A MANIFEST as RocksDB synced it.
struct Recorded {
  std::string name;  // "MANIFEST-000005"
  std::string bytes;
};

// RocksDB numbers all writes of keys from 1 on.
struct Answered {
  uint64_t written = 0;  // up to this number all writes were answered
  bool synced = false;   // and all lay on the disk
  std::string boot;      // the machine's, at that time; empty: the kernel told none
};

class Ledger {
 public:
  // Beside folder/rocksdb. `synced`: answered writes lie on the disk. `boot`: the machine's present boot.
  Ledger(std::string folder, bool synced, std::string boot);
  ~Ledger();

  // True if the folder has the ledger or the mark, however damaged.
  bool Exists() const;

  void Remove() const;  // the ledger and the mark

  // None without both files, as an earlier server leaves its folder. None for a damaged or missing file, too; the log
  // tells.
  std::optional<Recorded> ReadRecorded() const;
  std::optional<Answered> ReadAnswered() const;

  // Copies the MANIFEST of an open database. After an error the next flush copies again.
  void Record(rocksdb::DB& db) ABSL_LOCKS_EXCLUDED(mutex_);

  // REQUIRES: the open database has all writes up to `written`.
  absl::Status SetMark(uint64_t written);

  // All writes up to `written` are answered next. REQUIRES: SetMark before.
  void Mark(uint64_t written);

  // Calls Record after flushes and compactions. The Ledger outlives the database.
  std::shared_ptr<rocksdb::EventListener> Listener();

  bool synced() const { return synced_; }
  const std::string& boot() const { return boot_; }

 private:
  void NoteUnread(const char* name, const absl::Status& why) const;
  absl::Status RecordNow(rocksdb::DB& db) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string folder_;
  const bool synced_;
  const std::string boot_;
  int mark_ = -1;      // the mark's file; the store's thread's only
  absl::Mutex mutex_;  // one writer of the file
};

// The kernel's name for the present boot; empty if the kernel tells none.
std::string ThisBoot();

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_LEDGER_H_
