#ifndef AAREN_TESTS_BENCH_ENGINE_PLAIN_FOLD_H_
#define AAREN_TESTS_BENCH_ENGINE_PLAIN_FOLD_H_

// The paper's state, literally (§3.1): a and c grow with every token, and all three are floats.
//
// The reference for the engine's state, o = a / c in doubles. Compiled for each instruction set, like the engine's
// fold. Threading: one thread.

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <vector>

namespace aaren::bench {

class PlainFold {
 public:
  // REQUIRES: width is a multiple of 16 times heads.
  PlainFold(size_t heads, size_t width);

  // scores: [heads]; values and out: [width].
  void Fold(const float* scores, const float* values, float* out);

 private:
  const size_t heads_, width_;
  std::vector<float> weight_, peak_;                 // c, m: [heads]
  hwy::AlignedFreeUniquePtr<float[]> sum_, growth_;  // a: [width]; alpha, then beta: [2, heads padded]
};

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_PLAIN_FOLD_H_
