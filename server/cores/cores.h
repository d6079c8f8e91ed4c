#ifndef AAREN_SERVER_CORES_CORES_H_
#define AAREN_SERVER_CORES_CORES_H_

// The cores that this process may use, and how a thread keeps to a core. Threading: free functions.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::cores {

// The cores by number that the process may run on, as taskset or a control group's cpuset leave them.
std::vector<int> Allowed();

// How many cores the process can keep busy, at least one: the allowed cores, or the processor time of the control
// group, rounded up. `root` is / but for tests.
int Count(const std::string& root = "/");

// A list such as 0-3,8, in its order. InvalidArgument names the error: no list, a core named twice, or a core not in
// `allowed`.
absl::StatusOr<std::vector<int>> ParseList(absl::string_view list, const std::vector<int>& allowed);

// From now on this thread runs on the core alone. Error: the system's.
absl::Status KeepTo(int core);

}  // namespace aaren::cores

#endif  // AAREN_SERVER_CORES_CORES_H_
