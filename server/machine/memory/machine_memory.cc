#include "server/machine/memory/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/machine/cores/control_group.h"

namespace aaren::memory {
namespace {

constexpr uint64_t kUnknown = uint64_t{1} << 30;  // small enough for every machine that runs a server

// The number in a file, or 0 for "max" or no file.
uint64_t ReadLimit(const std::string& file) {
  std::ifstream in(file);
  std::string text;
  uint64_t number = 0;
  return in >> text && absl::SimpleAtoi(text, &number) ? number : 0;
}

uint64_t ReadTotal(const std::string& file) {
  std::ifstream in(file);
  std::string name;
  uint64_t kilobytes = 0;
  while (in >> name) {
    if (name == "MemTotal:" && in >> kilobytes) return kilobytes << 10;
  }
  return 0;
}

}  // namespace

uint64_t MachineMemory(const std::string& root) {
  std::vector<uint64_t> limits = {ReadTotal(absl::StrCat(root, "proc/meminfo"))};
  for (const std::string& group : cores::ControlGroups(root, "memory")) {
    limits.push_back(ReadLimit(absl::StrCat(group, "memory.max")));
    limits.push_back(ReadLimit(absl::StrCat(group, "memory.limit_in_bytes")));
  }
  uint64_t least = UINT64_MAX;
  for (const uint64_t bytes : limits) {
    if (bytes > 0) least = std::min(least, bytes);
  }
  return least == UINT64_MAX ? kUnknown : least;
}

uint64_t ProcessMemory(const std::string& root) {
  std::ifstream in(absl::StrCat(root, "proc/self/statm"));
  uint64_t size = 0, resident = 0;
  return in >> size >> resident ? resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace aaren::memory
