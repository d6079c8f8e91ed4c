#include "model/training/report/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace aaren::training {
namespace {

absl::Status Failed(const std::string& path) {
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
}

// Writes to `path`; an error names `meant`, the file that somebody asked for.
absl::Status Write(const std::string& path, absl::string_view text, const std::string& meant) {
  FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return Failed(meant);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const absl::Status status = written ? absl::OkStatus() : Failed(meant);
  // A full disk may show only when the last bytes are written, at the end.
  if (std::fclose(file) != 0 && status.ok()) return Failed(meant);
  return status;
}

}  // namespace

absl::Status WriteTextFile(const std::string& path, absl::string_view text) { return Write(path, text, path); }

absl::Status ReplaceTextFile(const std::string& path, absl::string_view text) {
  std::error_code none;
  const std::filesystem::file_status target = std::filesystem::status(path, none);
  if (std::filesystem::exists(target) && !std::filesystem::is_regular_file(target)) return WriteTextFile(path, text);
  const std::string partial = path + ".partial";
  absl::Status status = Write(partial, text, path);
  if (status.ok() && std::rename(partial.c_str(), path.c_str()) != 0) status = Failed(path);
  // The old text stays, and a full disk gets its room back.
  if (!status.ok()) std::remove(partial.c_str());
  return status;
}

}  // namespace aaren::training
