#ifndef AAREN_MODEL_TRAINING_FOLDER_LOCK_H_
#define AAREN_MODEL_TRAINING_FOLDER_LOCK_H_

// FolderLock reserves a folder for one run, because two runs that save to one checkpoint would undo each other's steps.
// The kernel releases the lock when the process ends in any way. The lock leaves no file in the folder.

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace aaren::training {

class FolderLock {
 public:
  // Locks the folder and creates the folder if needed. FailedPrecondition if another run has the folder, Unavailable if
  // the folder cannot be opened; both name the folder.
  static absl::StatusOr<std::unique_ptr<FolderLock>> Take(const std::string& folder);

  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  explicit FolderLock(int folder) : folder_(folder) {}

  const int folder_;  // file descriptor
};

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_FOLDER_LOCK_H_
