#ifndef AAREN_SERVER_STORE_ROCKSDB_EPOCH_FILE_H_
#define AAREN_SERVER_STORE_ROCKSDB_EPOCH_FILE_H_

// An EpochFile keeps the first epoch that was not given out, beside the database that has it too. What damages the one
// spares the other, so that no epoch is given out twice. Threading: one thread at a time.

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

  // 0 if there is no such file, or none that can be understood: the database knows then. Unavailable if it cannot be
  // read.
  absl::StatusOr<uint64_t> Read() const;

  // The disk has it afterwards; a write that was broken off leaves the one before.
  absl::Status Write(uint64_t epoch) const;

 private:
  const std::string path_;
};

// Under which key the database has the same.
inline constexpr char kEpochKey[] = "e";

// The greater of what the database and the file beside it know. Damage to one of them is made good by the other.
absl::StatusOr<uint64_t> NextEpoch(rocksdb::DB& db, const FolderLock& folder, const EpochFile& file);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_EPOCH_FILE_H_
