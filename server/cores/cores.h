#ifndef AAREN_SERVER_CORES_CORES_H_
#define AAREN_SERVER_CORES_CORES_H_

// The cores that this process may use: how many, which, and how a thread keeps to one. Threading: free functions.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::cores {

// The cores by number that the process may run on, as taskset or a control group's cpuset leave them.
std::vector<int> Allowed();

// As many as the process can keep busy, at least one: the allowed ones, or as many as its control group has processor
// time for, rounded up. `root` is / but for tests.
int Count(const std::string& root = "/");

// A list such as 0-3,8, in its order. InvalidArgument names what is wrong: no list, a core named twice, or one that is
// none of `allowed`.
absl::StatusOr<std::vector<int>> ParseList(absl::string_view list, const std::vector<int>& allowed);

// From now on this thread runs on that core alone. What is wrong with the machine, if it cannot.
absl::Status KeepTo(int core);

}  // namespace aaren::cores

#endif  // AAREN_SERVER_CORES_CORES_H_
