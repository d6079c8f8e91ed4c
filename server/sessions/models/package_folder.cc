#include "server/sessions/models/package_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace aaren::models {
namespace {

namespace fs = std::filesystem;

// Follows links: the file behind the link counts.
std::string Stamp(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return "";
  // A copy may keep size and time of a file, and a file replaced by a rename has another inode: everything is compared.
  return absl::StrCat(path, " ", file.st_dev, " ", file.st_ino, " ", file.st_mode, " ", file.st_size, " ",
                      file.st_mtim.tv_sec, ".", file.st_mtim.tv_nsec, " ", file.st_ctim.tv_sec, ".",
                      file.st_ctim.tv_nsec);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FoldersIn(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> folders;
  fs::directory_iterator next(folder, error);
  for (; !error && next != fs::directory_iterator(); next.increment(error)) {
    std::error_code gone;  // meanwhile
    if (next->is_directory(gone) && next->path().filename().string().front() != '.')
      folders.push_back(next->path().string());
  }
  if (error) return absl::NotFoundError(absl::StrCat("models folder '", folder, "': ", error.message()));
  std::sort(folders.begin(), folders.end());
  return folders;
}

bool IsStray(const std::string& path) {
  std::error_code error;
  const bool has_manifest = fs::exists(path + "/model.json", error);
  return !has_manifest && (!error || fs::path(path).filename() == "lost+found");
}

std::string FingerprintOf(const std::string& path) {
  std::vector<std::string> stamps = {Stamp(path)};
  std::error_code error;
  for (fs::directory_iterator next(path, error); !error && next != fs::directory_iterator(); next.increment(error)) {
    stamps.push_back(Stamp(next->path().string()));
  }
  // A folder names its files in any order.
  std::sort(stamps.begin(), stamps.end());
  return stamps.size() == 1 ? stamps[0] : absl::StrJoin(stamps, "\n");
}

}  // namespace aaren::models
