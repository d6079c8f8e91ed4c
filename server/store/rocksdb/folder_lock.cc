#include "server/store/rocksdb/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace aaren::store {
namespace {

constexpr absl::string_view kFormatPrefix = "aaren-store ";

absl::Status CannotUse(const std::string& path, int error) {
  const std::string problem = absl::StrCat("cannot use ", path, ": ", std::strerror(error));
  return error == EACCES || error == EPERM || error == EROFS ? absl::PermissionDeniedError(problem)
                                                             : absl::UnavailableError(problem);
}

std::string ContentsOf(int file) {
  char text[128];
  const ssize_t size = pread(file, text, sizeof(text), 0);
  return std::string(absl::StripAsciiWhitespace(absl::string_view(text, size > 0 ? static_cast<size_t>(size) : 0)));
}

absl::Status Write(int file, const std::string& path, const std::string& text) {
  if (ftruncate(file, 0) == 0 && pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size())) {
    return absl::OkStatus();
  }
  return CannotUse(path, errno);
}

// True if the folder says no format yet; an error for a format that this version cannot read.
absl::StatusOr<bool> SaysNoFormat(int folder, const std::string& path, uint32_t format) {
  const int file = openat(folder, "format", O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return true;
  if (file < 0) return CannotUse(path, errno);
  const std::string held = ContentsOf(file);
  close(file);
  // A kill inside WriteFormat, or a loss of power, leaves a beginning of the file.
  if (absl::StartsWith(kFormatPrefix, held)) return true;
  absl::string_view number = held;
  uint32_t version = 0;
  if (!absl::ConsumePrefix(&number, kFormatPrefix) || !absl::SimpleAtoi(number, &version)) {
    return absl::FailedPreconditionError(absl::StrCat(path, " says '", held, "': this is no folder of a server"));
  }
  if (version != format) {
    return absl::FailedPreconditionError(absl::StrCat(path, " says format ", version, ", this server knows ", format,
                                                      version > format ? ": a later" : ": an earlier",
                                                      " one wrote it"));
  }
  return false;
}

}  // namespace

void KeepPrivate(const std::string& folder) {
  namespace fs = std::filesystem;
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  std::error_code ignored;  // a mounted folder may belong to another user, who let this process in
  fs::permissions(folder, kOthers, fs::perm_options::remove, ignored);
  auto entry = fs::recursive_directory_iterator(folder, ignored);
  for (; entry != fs::recursive_directory_iterator() && !ignored; entry.increment(ignored)) {
    std::error_code kept;
    if (!entry->is_symlink(kept)) fs::permissions(entry->path(), kOthers, fs::perm_options::remove, kept);
  }
}

absl::StatusOr<FolderLock> FolderLock::Take(const std::string& folder, uint32_t format) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(folder).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  // mkdir makes the folder private at once; create_directories would follow the umask.
  (void)mkdir(folder.c_str(), S_IRWXU);
  if (!error) std::filesystem::create_directories(folder, error);  // names the error
  // A file in the folder's place: "File exists" would not tell the user the reason.
  if (error) return CannotUse(folder, error.value() == EEXIST ? ENOTDIR : error.value());
  absl::StatusOr<FolderLock> lock = Hold(folder, O_RDWR | O_CREAT, LOCK_EX, format);
  if (!lock.ok()) return lock;
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  const std::string owner = absl::StrCat("process ", getpid(), " on ", host, "\n");
  if (absl::Status written = Write(lock->file_, folder + "/owner", owner); !written.ok()) return written;
  return lock;
}

// NFS gives a file opened to read no exclusive lock. A shared lock keeps a server out all the same.
absl::StatusOr<FolderLock> FolderLock::TakeToRead(const std::string& folder, uint32_t format) {
  return Hold(folder, O_RDONLY, LOCK_SH, format);
}

absl::StatusOr<FolderLock> FolderLock::Hold(const std::string& folder, int access, int kind, uint32_t format) {
  FolderLock lock(folder, open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (lock.directory_ < 0) return CannotUse(folder, errno);
  const std::string path = folder + "/owner";
  lock.file_ = openat(lock.directory_, "owner", access | O_CLOEXEC, 0600);
  // No server has opened a folder without the file.
  const bool unowned = lock.file_ < 0 && errno == ENOENT && access == O_RDONLY;
  if (lock.file_ < 0 && !unowned) return CannotUse(path, errno);
  // The kernel drops the lock with the process, however the process ends: no stale lock refuses the next start.
  if (!unowned && flock(lock.file_, kind | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return CannotUse(path, errno);
    return absl::AlreadyExistsError(absl::StrCat(folder, " is in use by ", ContentsOf(lock.file_)));
  }
  const absl::StatusOr<bool> is_new = SaysNoFormat(lock.directory_, folder + "/format", format);
  if (!is_new.ok()) return is_new.status();
  lock.is_new_ = *is_new;
  return lock;
}

absl::Status FolderLock::WriteFormat(uint32_t format) const {
  const std::string path = folder_ + "/format";
  const int file = openat(directory_, "format", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return CannotUse(path, errno);
  absl::Status status = Write(file, path, absl::StrCat(kFormatPrefix, format, "\n"));
  close(file);
  return status;
}

absl::Status FolderLock::Check() const {
  struct stat held {
  }, there{};
  const std::string path = folder_ + "/owner";
  if (fstat(file_, &held) != 0) return CannotUse(path, errno);
  // Another folder in the same place has a file `owner` of another inode or none.
  const bool same = stat(path.c_str(), &there) == 0 && there.st_dev == held.st_dev && there.st_ino == held.st_ino;
  if (same) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat(folder_, " is not the folder that this server opened: it was moved, removed or unmounted"));
}

std::string FolderLock::Shown(absl::string_view text) const { return absl::StrReplaceAll(text, {{path_, folder_}}); }

// The kernel has a name for every open folder. Without /proc the folder's own name has to do.
FolderLock::FolderLock(std::string folder, int directory)
    : folder_(std::move(folder)), path_(absl::StrCat("/proc/self/fd/", directory)), directory_(directory) {
  if (access((path_ + "/.").c_str(), X_OK) != 0) path_ = folder_;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : folder_(std::move(other.folder_)),
      path_(std::move(other.path_)),
      directory_(std::exchange(other.directory_, -1)),
      file_(std::exchange(other.file_, -1)),
      is_new_(other.is_new_) {}

FolderLock::~FolderLock() {
  if (file_ >= 0) close(file_);
  if (directory_ >= 0) close(directory_);
}

}  // namespace aaren::store
