#ifndef AAREN_MODEL_TRAINING_FOLDER_LOCK_H_
#define AAREN_MODEL_TRAINING_FOLDER_LOCK_H_

// FolderLock keeps a folder to one run: two that save to one checkpoint would undo each other's steps. The kernel gives
// it back when the process ends, however it ends, and nothing is left in the folder.

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace aaren::training {

class FolderLock {
 public:
  // Creates the folder if need be. FailedPrecondition if a run has it, Unavailable if it cannot be opened; both name
  // it.
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
