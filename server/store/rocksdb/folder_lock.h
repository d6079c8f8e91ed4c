#ifndef AAREN_SERVER_STORE_ROCKSDB_FOLDER_LOCK_H_
#define AAREN_SERVER_STORE_ROCKSDB_FOLDER_LOCK_H_

// A FolderLock makes a folder for data, and holds it for this process: a second one is told who has it. The folder says
// which format its data has, once there is data: a folder whose data is gone is not taken for a new one.
//
// Whoever uses the folder by path() uses the one that was taken, wherever it is moved, and never another that is put in
// its place. Messages name it as its user does: Shown.
//
// Threading: any thread.

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::store {

inline constexpr uint32_t kFormat = 2;  // of the data in a folder

class FolderLock {
 public:
  // Of a new folder, or one with data of `format` or an earlier one. AlreadyExists if another process holds it,
  // FailedPrecondition for a later format, PermissionDenied or Unavailable if it cannot be made or written.
  static absl::StatusOr<FolderLock> Take(const std::string& folder, uint32_t format);

  // Whether it said no format when it was taken.
  bool is_new() const { return is_new_; }

  // The folder itself, as long as this lasts.
  const std::string& path() const { return path_; }

  // `text` with the folder's own name in the place of path().
  std::string Shown(absl::string_view text) const;

  // From now on it says `format`.
  absl::Status WriteFormat(uint32_t format) const;

  // Unavailable if the folder is not the one that was taken any more: it was moved, removed or unmounted.
  absl::Status Check() const;

  FolderLock(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  FolderLock(std::string folder, int directory);

  std::string folder_, path_;
  int directory_;
  int file_ = -1;  // its owner's
  bool is_new_ = false;
};

// Takes the group's and others' rights from a folder and all that is in it, as far as this process may.
void KeepPrivate(const std::string& folder);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_FOLDER_LOCK_H_
