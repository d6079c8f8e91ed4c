#ifndef AAREN_TESTS_BENCH_ENGINE_ROOFS_H_
#define AAREN_TESTS_BENCH_ENGINE_ROOFS_H_

// The best speeds of one core: fused multiply-adds a second, reads of weights laid out like a model's, and copies
// between places outside every cache.
//
// Each is a piece of work, timed in turns with the measured code, with the instruction set of the engine's kernels at
// the moment. Threading: free functions and plain values, one thread.

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <string>

namespace aaren::bench {

// The name of the kernels' present instruction set.
std::string InstructionSet();

// Multiplies and adds in registers alone; a multiply-add counts as two.
inline constexpr double kMultiplyAddFlop = 2.0 * 12 * 16 * 20'000;
void MultiplyAdd();

// The bytes of a model's weights, read from first to last by one call.
class Weights {
 public:
  explicit Weights(size_t bytes);
  size_t bytes() const { return bytes_; }
  void Read() const;

 private:
  size_t bytes_;
  hwy::AlignedFreeUniquePtr<float[]> data_;
};

// More bytes than any cache has, copied from place to place.
class Copies {
 public:
  static constexpr size_t kBytes = size_t{256} << 20;
  Copies();
  void Copy() const;

 private:
  hwy::AlignedFreeUniquePtr<char[]> from_, to_;
};

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_ROOFS_H_
