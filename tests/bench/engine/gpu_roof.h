#ifndef AAREN_TESTS_BENCH_ENGINE_GPU_ROOF_H_
#define AAREN_TESTS_BENCH_ENGINE_GPU_ROOF_H_

// The least time of the kernel's tile on a GPU, from the counts of CountedBlock: in each stretch between two barriers,
// the time of the busiest of the processor's parts, and a barrier's waits. Nothing is measured: the result is a bound
// for a GPU's time.
//
// Threads of a warp are taken to run in step. Threading: free functions.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/bench/engine/counted_block.h"

namespace aaren::bench {

struct Gpu {
  std::string name;
  std::string architecture;  // the compiler's name
  int processors;
  double gigahertz;
  int float_lanes, double_lanes;  // in a processor
  double l2_bytes, memory_bytes;  // a cycle and processor
  uint64_t shared_bytes;          // the most for a block
};

// Some of the GPUs that the kernel is compiled for.
const std::vector<Gpu>& Gpus();

// Cycles of one processor, by its parts.
struct Cycles {
  double issue = 0, floats = 0, doubles = 0, shared = 0, l2 = 0, memory = 0;
  double waits = 0;  // for the first answer after each barrier, and for the barrier
  double all = 0;    // sum of each stretch's largest, and its wait
};

Cycles CyclesOf(const BlockCounts& counts, const Gpu& gpu);

// Sums over threads and stretches.
struct Totals {
  int64_t multiply_adds = 0, others = 0, divisions = 0, doubles = 0, double_divisions = 0;
  int64_t constant_bytes = 0, memory_bytes = 0;  // distinct bytes in each stretch, in sectors of 32
};

Totals TotalsOf(const BlockCounts& counts);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_GPU_ROOF_H_
