#ifndef AAREN_SERVER_STORE_ROCKSDB_ROCKSDB_SETTINGS_H_
#define AAREN_SERVER_STORE_ROCKSDB_ROCKSDB_SETTINGS_H_

// How RocksDB is set for rows of 2 to 13 KB that are written again and again. README.md says why. Threading: pure.

#include <cstddef>

#include "rocksdb/options.h"
#include "server/store/rocksdb/folder_lock.h"

namespace aaren::store {

constexpr int kRocksDbFiles = 512;  // open at once, at most

// `buffer_bytes`: of writes before they are sorted, and of what is read. In memory at most four times that. `folder`:
// of the database; it outlives that. Null: any.
rocksdb::Options RocksDbSettings(size_t buffer_bytes, const FolderLock* folder = nullptr);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_ROCKSDB_SETTINGS_H_
