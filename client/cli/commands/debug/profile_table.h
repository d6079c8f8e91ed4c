#ifndef AAREN_CLIENT_CLI_COMMANDS_DEBUG_PROFILE_TABLE_H_
#define AAREN_CLIENT_CLI_COMMANDS_DEBUG_PROFILE_TABLE_H_

// A profile's folded stacks as a table of functions, and as JSON. Threading: functions.

#include <cstdint>
#include <string>
#include <vector>

#include "aaren/client/admin.h"
#include "absl/strings/string_view.h"

namespace aaren::cli {

// The samples of a function.
struct FunctionShare {
  std::string name;
  uint64_t own = 0;    // in the innermost frame
  uint64_t total = 0;  // anywhere in the stack
};

// The functions of folded stacks, the largest own shares first. Threads are no functions. Lines of another form are
// left out.
std::vector<FunctionShare> FunctionShares(absl::string_view folded);

void PrintProfile(const client::CpuProfile& profile);

// {"stack": ["shard-0", "main", ...], "samples": 12}, a line a stack.
std::string ProfileToJson(absl::string_view folded);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_DEBUG_PROFILE_TABLE_H_
