#ifndef AAREN_SERVER_STORE_ROCKSDB_FOLDER_LOCK_H_
#define AAREN_SERVER_STORE_ROCKSDB_FOLDER_LOCK_H_

// A FolderLock makes a folder for data, and holds the folder for this process. A second process is refused, and told
// the holder. A folder with data says the format of the data, so a folder whose data is gone is not taken for new.
//
// path() leads to the folder that was taken, even after a move, and never to another folder in the same place. Shown
// turns path() in a message into the name that the user gave.
//
// Threading: any thread.

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::store {

inline constexpr uint32_t kFormat = 2;  // the format of the data in a folder

class FolderLock {
 public:
  // Takes a new folder, or a folder with data of `format` or an earlier format. AlreadyExists if another process holds
  // the folder, FailedPrecondition for a later format, PermissionDenied or Unavailable if the folder cannot be made or
  // written.
  static absl::StatusOr<FolderLock> Take(const std::string& folder, uint32_t format);

  // Takes an existing folder in the same way, and changes nothing there: a server that comes meanwhile is told the
  // earlier holder. A folder that no process has taken yet is not held.
  static absl::StatusOr<FolderLock> TakeToRead(const std::string& folder, uint32_t format);

  // True if the folder had no format when it was taken.
  bool is_new() const { return is_new_; }

  // A path to the folder, valid while the lock lives.
  const std::string& path() const { return path_; }

  // `text` with the folder's own name in the place of path().
  std::string Shown(absl::string_view text) const;

  // Writes `format` into the folder.
  absl::Status WriteFormat(uint32_t format) const;

  // Unavailable if the folder was moved, removed or unmounted since Take. REQUIRES: Take made the lock.
  absl::Status Check() const;

  FolderLock(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  FolderLock(std::string folder, int directory);
  // `access` as for open, `kind` as for flock.
  static absl::StatusOr<FolderLock> Hold(const std::string& folder, int access, int kind, uint32_t format);

  std::string folder_, path_;
  int directory_;
  int file_ = -1;  // locked; names the holder
  bool is_new_ = false;
};

// Takes all rights but the owner's from a folder and its content, as far as this process may.
void KeepPrivate(const std::string& folder);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_FOLDER_LOCK_H_
