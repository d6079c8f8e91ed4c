#include "server/file/watched_file.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "server/file/regular_file.h"

namespace aaren::file {
namespace {

constexpr int64_t kLookNs = 1'000'000'000;
constexpr std::chrono::seconds kSettled(1);
constexpr size_t kMaxBytes = 16 << 20;

// Whether nobody has written it for a while. A time to come is a clock's that is ahead, and says nothing.
bool IsSettled(const std::string& path) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path, error);
  return !error && std::filesystem::file_time_type::clock::now() - written >= kSettled;
}

}  // namespace

bool WatchedFile::IsDue(int64_t now_ns) {
  if (now_ns - looked_ns_ < kLookNs) return false;
  looked_ns_ = now_ns;
  return true;
}

absl::StatusOr<std::optional<std::string>> WatchedFile::Read() {
  absl::StatusOr<std::string> text = ReadRegularFile(path_, kMaxBytes);
  if (!text.ok()) return text.status();
  const bool same = *text == std::exchange(seen_, *text);
  if (told_.has_value() && (*text == *told_ || !(same || IsSettled(path_)))) return std::nullopt;
  told_ = *text;  // a bad one is told of once
  return std::optional(*std::move(text));
}

}  // namespace aaren::file
