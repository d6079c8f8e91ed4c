#ifndef AAREN_TESTS_MODEL_ATTENTION_SCAN_SCAN_CASE_H_
#define AAREN_TESTS_MODEL_ATTENTION_SCAN_SCAN_CASE_H_

// ScanCase is one random call of the scan's kernels (scan_kernel.h) in host memory, with what must come of it by the
// dense definition in double. That is o_k = sum of w_ki v_i, w_k the softmax over i <= k of s_i - decay (t_k - t_i),
// and the gradients of that. Every array lies in its memory with other strides, and the gaps between its rows are
// checked to be left alone.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/attention/scan/scan_kernel.h"

namespace aaren::attention {

struct ScanCaseOptions {
  ScanShape shape;
  bool forgets = false;
  double masked = 0;         // the share of masked tokens, whose values are NaN
  int64_t masked_first = 0;  // so many tokens at the start are masked, too
  double score_scale = 1;
  bool token_major = false;  // [series, tokens, heads, width] as torch's transpose leaves it, else head by head
};

// The number that is furthest off.
struct Worst {
  double worst = 0;  // in tolerated distances
  std::string place = "nothing is off";

  void Compare(const std::string& where, double got, double wanted, double tolerated);
};

template <typename Float>
class ScanCase {
 public:
  explicit ScanCase(const ScanCaseOptions& options);

  // The calls, in this object's memory. The backward call reads what the forward call writes.
  ScanForward<Float> forward();
  ScanBackward<Float> backward();

  // The arrays that the pointers of the calls point to, for a device with a memory of its own.
  std::vector<std::vector<Float>*> arrays();

  // All numbers in the outputs' memory.
  const std::vector<Float>& outputs() const { return outputs_.numbers; }

  // Rounding is tolerated in proportion to the sum of the terms' magnitudes.
  Worst CheckForward() const;
  Worst CheckBackward() const;

 private:
  struct Array {
    std::vector<Float> numbers;
    ScanStrides strides;
    int64_t At(int64_t series, int64_t head, int64_t token) const;
  };
  struct Gradients {
    std::vector<double> scores, score_scales, values, value_scales;
  };

  Array Place(int64_t gap) const;
  std::vector<double> Weights(int64_t sequence, int64_t k) const;
  Gradients Dense(int64_t sequence, int64_t series, int64_t head) const;

  ScanCaseOptions options_;
  std::vector<Float> scores_, elapsed_, decay_, shares_, score_gradients_;
  Array values_, outputs_, gradients_, value_gradients_;
};

}  // namespace aaren::attention

#endif  // AAREN_TESTS_MODEL_ATTENTION_SCAN_SCAN_CASE_H_
