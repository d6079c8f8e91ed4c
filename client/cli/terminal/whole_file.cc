#include "client/cli/terminal/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace aaren::cli {
namespace {

absl::Status Errno(const std::string& path) { return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path)); }

// The path of the file itself, behind symbolic links.
std::string Resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

// A file beside the wanted file, removed by the destructor unless moved there.
class Beside {
 public:
  static absl::StatusOr<std::unique_ptr<Beside>> Create(const std::string& path) {
    struct stat info;
    if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
      return absl::FailedPreconditionError(absl::StrCat("cannot write ", path, ": it is no regular file"));
    }
    const std::string place = Resolved(path);
    // A rename would replace a file that the user may not write.
    if (access(place.c_str(), F_OK) == 0 && access(place.c_str(), W_OK) != 0) return Errno(path);
    // The number of the process keeps two writers apart.
    std::string name = absl::StrCat(place, ".", getpid(), ".part");
    const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return Errno(path);
    return std::unique_ptr<Beside>(new Beside(path, place, std::move(name), fd));
  }

  ~Beside() {
    close(fd_);
    if (!moved_) unlink(name_.c_str());
  }

  absl::Status Write(absl::string_view text) {
    while (!text.empty()) {
      const ssize_t written = write(fd_, text.data(), text.size());
      if (written < 0 && errno != EINTR) return Errno(path_);
      if (written > 0) text.remove_prefix(static_cast<size_t>(written));
    }
    // On the disk before the rename: a crash leaves the earlier file or the whole new file.
    return fsync(fd_) == 0 ? absl::OkStatus() : Errno(path_);
  }

  absl::Status Move() {
    moved_ = std::rename(name_.c_str(), place_.c_str()) == 0;
    return moved_ ? absl::OkStatus() : Errno(path_);
  }

 private:
  Beside(std::string path, std::string place, std::string name, int fd)
      : path_(std::move(path)), place_(std::move(place)), name_(std::move(name)), fd_(fd) {}

  const std::string path_, place_, name_;
  const int fd_;
  bool moved_ = false;
};

}  // namespace

absl::Status CheckWritable(const std::string& path) { return Beside::Create(path).status(); }

absl::Status WriteWholeFile(const std::string& path, absl::string_view text) {
  const absl::StatusOr<std::unique_ptr<Beside>> file = Beside::Create(path);
  if (!file.ok()) return file.status();
  const absl::Status written = (*file)->Write(text);
  return written.ok() ? (*file)->Move() : written;
}

}  // namespace aaren::cli
