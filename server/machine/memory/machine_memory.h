#ifndef AAREN_SERVER_MACHINE_MEMORY_MACHINE_MEMORY_H_
#define AAREN_SERVER_MACHINE_MEMORY_MACHINE_MEMORY_H_

// The memory open to this process, and the memory in use.

#include <cstdint>
#include <string>

namespace aaren::memory {

// The machine's memory, or the least limit of the control group and of the groups around the group, if lower. Bytes.
// `root` stands for "/"; for tests. A gibibyte if nothing can be read.
uint64_t MachineMemory(const std::string& root = "/");

// The resident memory of this process. Bytes; 0 if unreadable.
uint64_t ProcessMemory(const std::string& root = "/");

}  // namespace aaren::memory

#endif  // AAREN_SERVER_MACHINE_MEMORY_MACHINE_MEMORY_H_
