#include "server/store/rocksdb/synced_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace aaren::store {
namespace {

absl::Status Problem(const std::string& path, int error) {
  return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(error)));
}

// 0, or the error.
int WriteSynced(const std::string& path, absl::string_view bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  const absl::Cleanup closes = [file] { close(file); };
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return fsync(file) == 0 ? 0 : errno;
}

// The folder holds the file's name. 0, or the error.
int SyncFolderOf(const std::string& path) {
  const int folder = open(path.substr(0, path.rfind('/')).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return errno;
  const int error = fsync(folder) == 0 ? 0 : errno;
  close(folder);
  return error;
}

}  // namespace

absl::StatusOr<std::string> ReadWhole(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return absl::NotFoundError(path);
  if (file < 0) return Problem(path, errno);
  const absl::Cleanup closes = [file] { close(file); };
  std::string bytes;
  char part[16384];
  for (;;) {
    const ssize_t size = read(file, part, sizeof(part));
    if (size < 0) return Problem(path, errno);
    if (size == 0) return bytes;
    bytes.append(part, static_cast<size_t>(size));
  }
}

absl::Status ReplaceFile(const std::string& path, absl::string_view bytes) {
  // The bytes are on the disk before the rename: a kill leaves the old file or the new, never a part.
  const std::string next = path + ".next";
  // After a failure the old file stays, and a full disk gets its room back. After the rename nothing is left to remove.
  const absl::Cleanup removes = [&next] { unlink(next.c_str()); };
  if (const int error = WriteSynced(next, bytes); error != 0) return Problem(next, error);
  if (std::rename(next.c_str(), path.c_str()) != 0) return Problem(path, errno);
  const int error = SyncFolderOf(path);
  return error == 0 ? absl::OkStatus() : Problem(path, error);
}

}  // namespace aaren::store
