#ifndef AAREN_SERVER_STORE_ROCKSDB_BLOB_GARBAGE_H_
#define AAREN_SERVER_STORE_ROCKSDB_BLOB_GARBAGE_H_

// A BlobGarbage has RocksDB collect the garbage in its blob files while there is much of it, and only then.
//
// RocksDB collects at every compaction: it copies what lives in the oldest quarter of its files. Where little is
// garbage, as while a million new sessions are saved, that copies most rows several times. So collecting begins once
// half of what the files hold is garbage, and ends at a quarter. Threading: belongs to the store's thread.

#include <chrono>
#include <cstdint>

namespace rocksdb {
class DB;
}

namespace aaren::store {

// Whether to collect, of files with `bytes`, of which `garbage` are overwritten or deleted.
bool MayCollect(bool collecting, uint64_t garbage, uint64_t bytes);

class BlobGarbage {
 public:
  // A database was opened: it collects nothing.
  void Reset() { collecting_ = false; }

  // Sets `db` as MayCollect says, once a second. What cannot be set is tried again.
  void Look(rocksdb::DB& db, std::chrono::steady_clock::time_point now);

 private:
  bool collecting_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_BLOB_GARBAGE_H_
