#ifndef AAREN_SERVER_STORE_ROCKSDB_SALVAGE_H_
#define AAREN_SERVER_STORE_ROCKSDB_SALVAGE_H_

// Copies the readable sessions of a folder into a new folder, and only reads the old folder. RocksDB opens a folder of
// links to the database's files, with the ledger's MANIFEST where the database's MANIFEST is behind. The names of
// sessions come from every readable sorted file and log. The bytes come from the database as a whole: no session comes
// back in an older state. Threading: any thread, while nobody writes the folder.

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/rocksdb/folder_lock.h"

namespace aaren::store {

struct Salvaged {
  uint64_t copied = 0;
  uint64_t unreadable = 0;  // sessions told by name, also where one of two saves was copied
  bool all = true;          // nothing else is missing
};

// Makes `to` a store's folder. Each line given to `tell` names an unreadable session or file, or tells the number of
// missing writes. AlreadyExists if `to` is no empty folder, Unavailable if nothing can be read, or not written to `to`.
// After a failure `to` is empty.
absl::StatusOr<Salvaged> Salvage(const FolderLock& from, const std::string& to,
                                 const std::function<void(const std::string&)>& tell);

// Replaces a MANIFEST that is behind the ledger by the ledger's copy.
void RestoreManifest(const FolderLock& folder);

// For a database that lacks a file: replaces the database by a new database with the readable sessions. The old files
// stay in rocksdb.lost, or rocksdb.lost.2 and so on after earlier losses. The log tells each loss.
absl::Status SalvageInPlace(const FolderLock& folder);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_SALVAGE_H_
