#ifndef AAREN_TESTS_E2E_SOAK_MEMORY_H_
#define AAREN_TESTS_E2E_SOAK_MEMORY_H_

// What the server's memory did during a run, and whether it grows. Threading: one thread.
//
// The bound: what clients make the server hold swings with what they do. But every part of it has a limit, so that two
// stretches of one run may differ by the sum of those limits and no more. Sessions and saves are bounded by the number
// of sessions, which is the same throughout. A leak of a steady rate shows where it makes more than that sum in a third
// of the run. The first third is left out: pools and the allocator fill.

#include <cstdint>
#include <string>
#include <vector>

namespace aaren::soak {

class Memory {
 public:
  explicit Memory(uint64_t allowance) : allowance_(allowance) {}

  void Sample(uint64_t resident_bytes) { samples_.push_back(resident_bytes); }

  bool grows() const;
  std::string Text() const;

 private:
  // Of the third 0, 1 or 2 of the samples.
  uint64_t Most(size_t third) const;
  uint64_t Median(size_t third) const;
  std::vector<uint64_t> Third(size_t third) const;

  const uint64_t allowance_;
  std::vector<uint64_t> samples_;
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_MEMORY_H_
