#ifndef AAREN_SERVER_STORE_ROCKSDB_FOLDER_LOCK_H_
#define AAREN_SERVER_STORE_ROCKSDB_FOLDER_LOCK_H_

// A FolderLock makes a folder for data, and holds it for this process: a second one is told who has it. The folder says
// which format its data has. Threading: any thread.

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace aaren {

class FolderLock {
 public:
  // Of a folder with data of `format` or an earlier one; a new folder gets `format`. AlreadyExists if another process
  // holds it, FailedPrecondition for a later format, PermissionDenied or Unavailable if it cannot be made or written.
  static absl::StatusOr<FolderLock> Take(const std::string& folder, uint32_t format);

  FolderLock(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int file) : file_(file) {}

  int file_;
};

}  // namespace aaren

#endif  // AAREN_SERVER_STORE_ROCKSDB_FOLDER_LOCK_H_
