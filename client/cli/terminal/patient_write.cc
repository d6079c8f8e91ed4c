#include "client/cli/terminal/patient_write.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "absl/strings/str_cat.h"

namespace aaren::cli {
namespace {

constexpr int kPatienceMs = 100;

bool AwaitRoom(int fd, absl::FunctionRef<bool()> give_up) {
  pollfd room{fd, POLLOUT, 0};
  for (int ready = poll(&room, 1, 0); ready <= 0; ready = poll(&room, 1, kPatienceMs)) {
    if (ready < 0 && errno != EINTR) return true;  // the write will return the error
    if (give_up()) return false;
  }
  return true;
}

}  // namespace

int OpenAgain(int fd) {
  // A dup would share the flags; an open by /proc has flags of its own.
  return open(absl::StrCat("/proc/self/fd/", fd).c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

absl::Status PatientWrite(int fd, absl::string_view text, absl::string_view name, absl::FunctionRef<bool()> give_up) {
  while (!text.empty()) {
    if (!AwaitRoom(fd, give_up)) return absl::CancelledError(absl::StrCat("nobody reads ", name));
    // A pipe that is ready has room for PIPE_BUF bytes; a longer write would wait for the reader.
    const ssize_t written = write(fd, text.data(), std::min<size_t>(PIPE_BUF, text.size()));  // a pipe's room
    if (written < 0 && errno == EPIPE) return absl::CancelledError(absl::StrCat(name, " is closed"));
    if (written < 0 && errno != EINTR && errno != EAGAIN) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot write to ", name));
    }
    text.remove_prefix(static_cast<size_t>(std::max<ssize_t>(0, written)));
  }
  return absl::OkStatus();
}

}  // namespace aaren::cli
