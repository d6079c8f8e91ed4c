#include "server/machine/file/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace aaren::file {
namespace {

absl::Status CannotRead(const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
}

}  // namespace

absl::StatusOr<std::string> ReadRegularFile(const std::string& path, size_t most) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer opens at once
  if (fd < 0) return CannotRead(path);
  const absl::Cleanup closed = [fd] { close(fd); };
  struct stat info;
  if (fstat(fd, &info) != 0) return CannotRead(path);
  if (!S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat("cannot read ", path, ": it is no regular file"));
  }
  std::string text;
  char part[1 << 14];
  for (ssize_t bytes; (bytes = read(fd, part, sizeof(part))) != 0;) {
    if (bytes < 0 && errno != EINTR) return CannotRead(path);
    if (bytes > 0) text.append(part, static_cast<size_t>(bytes));
    if (text.size() > most) return absl::InvalidArgumentError(absl::StrCat(path, ": more than ", most, " bytes"));
  }
  return text;
}

}  // namespace aaren::file
