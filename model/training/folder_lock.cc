#include "model/training/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace aaren::training {

absl::StatusOr<std::unique_ptr<FolderLock>> FolderLock::Take(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return absl::UnavailableError(absl::StrCat("cannot create ", folder, ": ", error.message()));
  // The folder itself is locked. The lock ends with the process, so a killed run leaves no lock file behind.
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return absl::UnavailableError(absl::StrCat("cannot open ", folder, ": ", std::strerror(errno)));
  std::unique_ptr<FolderLock> lock(new FolderLock(descriptor));
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return lock;  // a file system without locks: no protection
  return absl::FailedPreconditionError(absl::StrCat(folder, " is in use by another run"));
}

FolderLock::~FolderLock() { close(folder_); }

}  // namespace aaren::training
