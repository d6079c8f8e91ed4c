#include "server/store/rocksdb/epoch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace aaren::store {
namespace {

absl::Status Problem(const std::string& path, int error) {
  return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(error)));
}

// 0, or what went wrong.
int WriteSynced(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  errno = ENOSPC;  // of a write that is cut short
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(file) == 0;
  const int error = written ? 0 : errno;
  close(file);
  return error;
}

// A file's name is its folder's. 0, or what went wrong.
int SyncFolderOf(const std::string& path) {
  const int folder = open(path.substr(0, path.rfind('/')).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return errno;
  const int error = fsync(folder) == 0 ? 0 : errno;
  close(folder);
  return error;
}

}  // namespace

absl::StatusOr<uint64_t> EpochFile::Read() const {
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return 0;
  if (file < 0) return Problem(path_, errno);
  char text[32];
  const ssize_t size = read(file, text, sizeof(text));
  close(file);
  if (size < 0) return Problem(path_, EIO);
  uint64_t epoch = 0;
  const absl::string_view number = absl::StripAsciiWhitespace({text, static_cast<size_t>(size)});
  return absl::SimpleAtoi(number, &epoch) ? epoch : 0;
}

absl::Status EpochFile::Write(uint64_t epoch) const {
  const std::string next = path_ + ".next";
  if (const int error = WriteSynced(next, absl::StrCat(epoch, "\n")); error != 0) return Problem(next, error);
  if (std::rename(next.c_str(), path_.c_str()) != 0) return Problem(path_, errno);
  const int error = SyncFolderOf(path_);
  return error == 0 ? absl::OkStatus() : Problem(path_, error);
}

}  // namespace aaren::store
