#ifndef AAREN_SERVER_STORE_ROCKSDB_FOLDER_CHECK_H_
#define AAREN_SERVER_STORE_ROCKSDB_FOLDER_CHECK_H_

// Compares a database with its Ledger before RocksDB may write or delete anything in the folder. Only reads.
// Threading: any thread, while nobody writes the folder.

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/rocksdb/folder_lock.h"
#include "server/store/rocksdb/ledger.h"

namespace rocksdb {
struct Options;
}

namespace aaren::store {

struct LostWrites {
  uint64_t count = 0;     // answered, and neither in the logs nor in sorted files
  bool was_kept = false;  // no loss of power explains the gap: the machine has run on, or the writes were synced
};

// DataLoss, with the file's name, if the MANIFEST is behind the ledger, or a file named in the MANIFEST is missing or
// short. Unavailable for files that cannot be read now. Without ledger or mark the part concerned is not compared.
absl::StatusOr<LostWrites> CheckDatabase(const FolderLock& folder, const rocksdb::Options& settings,
                                         const Ledger& ledger);

// The part about the MANIFEST: DataLoss if the database's MANIFEST does not begin with the bytes of `recorded`. With
// nothing recorded CURRENT must name a MANIFEST.
absl::Status CheckManifest(const std::string& database, const Recorded& recorded);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_FOLDER_CHECK_H_
