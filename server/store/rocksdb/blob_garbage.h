#ifndef AAREN_SERVER_STORE_ROCKSDB_BLOB_GARBAGE_H_
#define AAREN_SERVER_STORE_ROCKSDB_BLOB_GARBAGE_H_

// A BlobGarbage lets RocksDB collect the garbage in its blob files only while there is much garbage.
//
// RocksDB collects at every compaction: RocksDB copies the live rows of the oldest quarter of the files. With little
// garbage, as while a million new sessions are saved, most rows would be copied several times. So collecting begins
// once half of the files' bytes are garbage, and ends at a quarter. Threading: belongs to the store's thread.

#include <chrono>
#include <cstdint>

namespace rocksdb {
class DB;
}

namespace aaren::store {

// True if RocksDB should collect: of `bytes` in the files `garbage` are overwritten or deleted.
bool MayCollect(bool collecting, uint64_t garbage, uint64_t bytes);

class BlobGarbage {
 public:
  // Called after a database was opened, which collects nothing.
  void Reset() { collecting_ = false; }

  // Sets `db` as MayCollect says, once a second. A setting that RocksDB refuses is tried again.
  void Look(rocksdb::DB& db, std::chrono::steady_clock::time_point now);

 private:
  bool collecting_ = false;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_BLOB_GARBAGE_H_
