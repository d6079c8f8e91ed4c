#ifndef AAREN_SERVER_MEMORY_MACHINE_MEMORY_H_
#define AAREN_SERVER_MEMORY_MACHINE_MEMORY_H_

// How much memory this process may use at most, and how much it does.

#include <cstdint>
#include <string>

namespace aaren::memory {

// The machine's, or its control group's limit where that is lower. Bytes. `root` stands for "/"; for tests. A gibibyte
// if nothing can be read.
uint64_t MachineMemory(const std::string& root = "/");

// What is resident of this process. Bytes; 0 if it cannot be read.
uint64_t ProcessMemory(const std::string& root = "/");

}  // namespace aaren::memory

#endif  // AAREN_SERVER_MEMORY_MACHINE_MEMORY_H_
