#include "server/machine/cores/control_group.h"

#include <algorithm>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace aaren::cores {
namespace {

// `mount` and the folders below it on the way to the group "/a/b".
void AddNested(const std::string& mount, absl::string_view group, std::vector<std::string>& folders) {
  std::string folder = absl::StrCat(mount, "/");
  folders.push_back(folder);
  for (const absl::string_view part : absl::StrSplit(group, '/', absl::SkipEmpty())) {
    if (part == "..") return;  // the process was moved to a group that its container cannot see
    absl::StrAppend(&folder, part, "/");
    folders.push_back(folder);
  }
}

}  // namespace

std::vector<std::string> ControlGroups(const std::string& root, absl::string_view controller) {
  const std::string mount = absl::StrCat(root, "sys/fs/cgroup"), own_mount = absl::StrCat(mount, "/", controller);
  std::vector<std::string> folders = {absl::StrCat(mount, "/"), absl::StrCat(own_mount, "/")};
  std::ifstream groups(absl::StrCat(root, "proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    // "0::/a/b" is of version 2; "4:memory:/a/b" and "3:cpu,cpuacct:/a/b" are of version 1.
    const std::vector<absl::string_view> fields = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    if (fields[1].empty()) {
      AddNested(mount, fields[2], folders);
      AddNested(absl::StrCat(mount, "/unified"), fields[2], folders);
      continue;
    }
    const std::vector<absl::string_view> controllers = absl::StrSplit(fields[1], ',');
    if (std::find(controllers.begin(), controllers.end(), controller) == controllers.end()) continue;
    AddNested(own_mount, fields[2], folders);
    AddNested(absl::StrCat(mount, "/", fields[1]), fields[2], folders);
  }
  return folders;
}

}  // namespace aaren::cores
