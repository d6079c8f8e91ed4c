#ifndef AAREN_SERVER_STORE_ROCKSDB_ROCKSDB_SETTINGS_H_
#define AAREN_SERVER_STORE_ROCKSDB_ROCKSDB_SETTINGS_H_

// RocksDB's settings for rows of 2 to 13 KB that are written again and again. README.md has the reasons. Threading:
// pure.

#include <cstddef>

#include "rocksdb/options.h"
#include "server/store/rocksdb/folder_lock.h"

namespace aaren::store {

// `buffer_bytes` is the size of the buffer of unsorted writes, and of the cache of reads; RocksDB uses at most four
// times as much memory. `folder` is the folder of the database, and outlives the database; null: any folder.
rocksdb::Options RocksDbSettings(size_t buffer_bytes, const FolderLock* folder = nullptr);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_ROCKSDB_SETTINGS_H_
