#ifndef AAREN_SERVER_MACHINE_CORES_CORES_H_
#define AAREN_SERVER_MACHINE_CORES_CORES_H_

// The cores that this process may use, and how a thread keeps to a core. Threading: free functions.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::cores {

// The numbers of the cores that the process may run on, by taskset and by the cpuset of the control group.
std::vector<int> Allowed();

// The number of cores that the process can keep busy, at least one: the allowed cores, or the processor time of the
// control group, rounded up. `root` is / except in tests.
int Count(const std::string& root = "/");

// A list such as 0-3,8, in its order. InvalidArgument names the error: no list, a core named twice, or a core not in
// `allowed`.
absl::StatusOr<std::vector<int>> ParseList(absl::string_view list, const std::vector<int>& allowed);

// Lets the calling thread run on the core only. Errors come from the system.
absl::Status KeepTo(int core);

}  // namespace aaren::cores

#endif  // AAREN_SERVER_MACHINE_CORES_CORES_H_
