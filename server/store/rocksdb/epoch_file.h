#ifndef AAREN_SERVER_STORE_ROCKSDB_EPOCH_FILE_H_
#define AAREN_SERVER_STORE_ROCKSDB_EPOCH_FILE_H_

// An EpochFile keeps the first epoch that was not given out. The database has the same number. Damage to the file or to
// the database spares the second copy, so no epoch is given out twice. Threading: one thread at a time.

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/rocksdb/folder_lock.h"

namespace rocksdb {
class DB;
}

namespace aaren::store {

class EpochFile {
 public:
  explicit EpochFile(std::string folder) : path_(std::move(folder) + "/epochs") {}

  // 0 if the file is missing or damaged: the database then has the number. Unavailable if the file cannot be read.
  absl::StatusOr<uint64_t> Read() const;

  // Returns once the disk has the number. A write that was broken off leaves the number before.
  absl::Status Write(uint64_t epoch) const;

 private:
  const std::string path_;
};

// The key of the same number in the database.
inline constexpr char kEpochKey[] = "e";

// The greater number of the database and the file. Damage to the database or to the file is made good by the second
// copy.
absl::StatusOr<uint64_t> NextEpoch(rocksdb::DB& db, const FolderLock& folder, const EpochFile& file);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_EPOCH_FILE_H_
