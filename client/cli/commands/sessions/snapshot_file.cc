#include "client/cli/commands/sessions/snapshot_file.h"

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "client/cli/terminal/whole_file.h"

namespace aaren::cli {
namespace {

constexpr size_t kMostBytes = 256 << 20;  // far more than the snapshot of 4,096 channels takes

bool WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  // The last bytes may fail to be written at the close.
  file.close();
  return static_cast<bool>(file);
}

}  // namespace

absl::Status WriteSnapshot(const std::string& path, const std::string& bytes) {
  std::error_code none;
  const std::filesystem::file_status target = std::filesystem::status(path, none);
  if (!std::filesystem::exists(target) || std::filesystem::is_regular_file(target)) return WriteWholeFile(path, bytes);
  errno = 0;  // a pipe, a device
  if (WriteBytes(path, bytes)) return absl::OkStatus();
  return absl::ErrnoToStatus(errno == 0 ? EIO : errno, absl::StrCat("cannot write ", path));
}

absl::StatusOr<std::string> ReadSnapshot(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const bool open = file.is_open();
  std::string bytes;
  char buffer[1 << 16];
  // A wrong file of any size is refused before it fills the memory.
  while (open && bytes.size() <= kMostBytes && (file.read(buffer, sizeof(buffer)) || file.gcount() > 0)) {
    bytes.append(buffer, static_cast<size_t>(file.gcount()));
  }
  if (!open || file.bad()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
  if (bytes.size() <= kMostBytes) return bytes;
  return absl::InvalidArgumentError(
      absl::StrCat(path, " is no exported session: it has more than ", kMostBytes, " bytes"));
}

}  // namespace aaren::cli
