#ifndef AAREN_TESTS_MODEL_ATTENTION_SCAN_SCAN_CASE_H_
#define AAREN_TESTS_MODEL_ATTENTION_SCAN_SCAN_CASE_H_

// ScanCase is one random call of the scan's kernels (scan_kernel.h) in host memory, with the expected result by the
// dense definition in double. The definition is o_k = sum of w_ki v_i, with w_k the softmax over i <= k of s_i - decay
// (t_k - t_i), and the gradients of o_k. Each array has strides of its own, and the gaps between rows are checked to
// stay untouched.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/attention/scan/scan_kernel.h"

namespace aaren::attention {

struct ScanCaseOptions {
  ScanShape shape;
  bool forgets = false;
  double masked = 0;         // share of masked tokens, whose values are NaN
  int64_t masked_first = 0;  // further masked tokens at the start
  double score_scale = 1;
  bool token_major = false;  // [series, tokens, heads, width] like torch's transpose; else head by head
};

// The number with the largest error.
struct Worst {
  double worst = 0;  // in tolerated distances
  std::string place = "nothing is off";

  void Compare(const std::string& where, double got, double wanted, double tolerated);
};

template <typename Float>
class ScanCase {
 public:
  explicit ScanCase(const ScanCaseOptions& options);

  // The calls, in this object's memory. The backward call reads the results of the forward call.
  ScanForward<Float> forward();
  ScanBackward<Float> backward();

  // The arrays behind the pointers of the calls, for a device with memory of its own.
  std::vector<std::vector<Float>*> arrays();

  // All numbers in the memory of the outputs.
  const std::vector<Float>& outputs() const { return outputs_.numbers; }

  // The tolerated rounding is proportional to the sum of the terms' magnitudes.
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
