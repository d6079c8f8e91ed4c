#ifndef AAREN_SERVER_MACHINE_CORES_CONTROL_GROUP_H_
#define AAREN_SERVER_MACHINE_CORES_CONTROL_GROUP_H_

// Where the limits of this process's control groups are. Groups nest, and each may have a limit: the least holds. Both
// versions of control groups, and a machine that has both, are known. Threading: a plain function.

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace aaren::cores {

// Folders that may hold the files of a controller, such as "memory", each with a slash at the end: the folders of the
// process's own group and of every group around. Some folders may be missing. In a container the outermost folder
// belongs to the container. `root` is / except in tests.
std::vector<std::string> ControlGroups(const std::string& root, absl::string_view controller);

}  // namespace aaren::cores

#endif  // AAREN_SERVER_MACHINE_CORES_CONTROL_GROUP_H_
