#ifndef AAREN_TESTS_E2E_SOAK_MEMORY_H_
#define AAREN_TESTS_E2E_SOAK_MEMORY_H_

// Samples of the server's memory during a run, and a test for growth. Threading: one thread.
//
// The bound: the memory held for clients swings with the clients. Every part of the memory has a limit, and two
// stretches of one run may differ by the sum of all limits and no more. Sessions and saves are bounded by the number of
// sessions, constant throughout. A leak of a steady rate shows where it makes more than the sum in a third of the run.
// The first third is left out: pools and the allocator fill.

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
  // For the third 0, 1 or 2 of the samples.
  uint64_t Most(size_t third) const;
  uint64_t Median(size_t third) const;
  std::vector<uint64_t> Third(size_t third) const;

  const uint64_t allowance_;
  std::vector<uint64_t> samples_;
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_MEMORY_H_
