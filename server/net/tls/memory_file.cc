#include "server/net/tls/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace aaren::tls {
namespace {

bool WriteAll(int descriptor, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

// The new file takes the old file's place under the same number: the change is one step.
absl::Status MemoryFile::Set(absl::string_view text) {
  const int made = memfd_create("text", MFD_CLOEXEC);
  if (made < 0) return absl::ErrnoToStatus(errno, "cannot make a file in memory");
  const bool fits = WriteAll(made, text);
  if (fits && descriptor_ < 0) {
    descriptor_ = made;
    return absl::OkStatus();
  }
  const bool done = fits && dup3(made, descriptor_, O_CLOEXEC) >= 0;
  // close may change errno.
  const int error = errno;
  close(made);
  return done ? absl::OkStatus() : absl::ErrnoToStatus(error, "cannot write a file in memory");
}

std::string MemoryFile::path() const { return absl::StrCat("/proc/self/fd/", descriptor_); }

}  // namespace aaren::tls
