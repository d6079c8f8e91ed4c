#include "server/machine/file/watched_file.h"

#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/machine/file/regular_file.h"

namespace aaren::file {
namespace {

constexpr absl::Duration kSettled = absl::Seconds(1);  // a write younger than this may still be going on
constexpr size_t kMaxBytes = 16 << 20;                 // room for a list of 150,000 callers

std::optional<struct stat> StatOf(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? std::optional(info) : std::nullopt;
}

bool AreSame(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

// True if both are of the same file, and nobody has written the file in between.
bool AreSame(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_mode == b.st_mode && a.st_size == b.st_size &&
         AreSame(a.st_mtim, b.st_mtim) && AreSame(a.st_ctim, b.st_ctim);
}

// True if the time lies a while back. A time in the future comes from a clock that is ahead, and says nothing.
bool IsSettled(const timespec& time) { return absl::Now() - absl::TimeFromTimespec(time) >= kSettled; }

}  // namespace

absl::StatusOr<std::optional<std::string>> WatchedFile::Read() {
  const std::optional<struct stat> info = StatOf(path_);
  if (told_.has_value() && info && settled_ && AreSame(*info, *settled_)) return std::nullopt;
  settled_.reset();
  absl::StatusOr<std::string> text = ReadRegularFile(path_, kMaxBytes);
  if (!text.ok()) return text.status();
  // Two writes within one tick of the file system's clock look alike: recent times say nothing.
  if (info && IsSettled(info->st_mtim) && IsSettled(info->st_ctim)) settled_ = info;
  const bool same = *text == std::exchange(seen_, *text);
  const bool stands = same || (info && IsSettled(info->st_mtim));
  if (told_.has_value() && (*text == *told_ || !stands)) return std::nullopt;
  told_ = *text;  // a bad text is told once
  return std::optional(*std::move(text));
}

}  // namespace aaren::file
