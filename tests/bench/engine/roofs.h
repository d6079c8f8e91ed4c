#ifndef AAREN_TESTS_BENCH_ENGINE_ROOFS_H_
#define AAREN_TESTS_BENCH_ENGINE_ROOFS_H_

// What one core can reach at best: fused multiply-adds a second, reads of weights that lie where a model's lie, and
// copies between places that no cache holds.
//
// All are pieces of work, to be timed in turns with what is held against them, and of the instruction set that the
// engine's kernels have at that moment. Threading: free functions and plain values, of one thread.

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <string>

namespace aaren::bench {

// The name of the instruction set that kernels have now.
std::string InstructionSet();

// Multiplies and adds in registers alone; a multiply-add counts as two.
inline constexpr double kMultiplyAddFlop = 2.0 * 12 * 16 * 20'000;
void MultiplyAdd();

// As many bytes as a model's weights, read from the first to the last by one call.
class Weights {
 public:
  explicit Weights(size_t bytes);
  size_t bytes() const { return bytes_; }
  void Read() const;

 private:
  size_t bytes_;
  hwy::AlignedFreeUniquePtr<float[]> data_;
};

// More bytes than any cache has, copied from one place to another.
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
