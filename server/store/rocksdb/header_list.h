#ifndef AAREN_SERVER_STORE_ROCKSDB_HEADER_LIST_H_
#define AAREN_SERVER_STORE_ROCKSDB_HEADER_LIST_H_

// Pages of the sessions in a database, by their headers alone. Threading: belongs to the store's thread.

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/rocksdb/folder_lock.h"
#include "server/store/store.h"

namespace rocksdb {
class DB;
}

namespace aaren::store {

// As StateStore::List. Sessions whose keys cannot be read are left out, and the log tells between which keys they are.
// Unavailable if the database's folder is away, DataLoss if it lacks a file.
absl::StatusOr<std::vector<SessionRecord>> ListHeaders(rocksdb::DB& db, const FolderLock& folder,
                                                       const std::string& prefix, const std::string& after,
                                                       size_t limit);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_HEADER_LIST_H_
