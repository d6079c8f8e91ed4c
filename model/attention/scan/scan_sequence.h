#ifndef AAREN_MODEL_ATTENTION_SCAN_SCAN_SEQUENCE_H_
#define AAREN_MODEL_ATTENTION_SCAN_SCAN_SEQUENCE_H_

// The scan's work on one sequence, the values of one head of one series, on a CPU. scan_cpu.cc distributes sequences to
// threads. scan_forward.cc and scan_backward.cc compute float32 with the machine's vector instructions. scan_double.cc
// computes float64 by the formulas as written.

#include <cstdint>

namespace aaren::attention {

// A vector of numbers for each token; vectors are `stride` numbers apart.
template <typename Float>
struct TokenRows {
  Float* data;
  int64_t stride;

  Float* operator[](int64_t token) const { return data + token * stride; }
};

template <typename Float>
struct ForwardSequence {
  int64_t tokens, width;
  const Float* scores;
  const Float* elapsed;  // null: no forgetting
  Float decay;
  TokenRows<const Float> values;
  TokenRows<Float> outputs;
  Float* shares;      // may be null
  bool around_cache;  // true if the outputs are too many to stay in the caches until read
};

template <typename Float>
struct BackwardSequence {
  int64_t tokens, width;
  const Float* shares;
  TokenRows<const Float> values, outputs, gradients;
  Float* score_gradients;
  TokenRows<Float> value_gradients;
  bool around_cache;
};

void RunForward(const ForwardSequence<float>& sequence);
void RunForward(const ForwardSequence<double>& sequence);
void RunBackward(const BackwardSequence<float>& sequence);
void RunBackward(const BackwardSequence<double>& sequence);

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_SCAN_SEQUENCE_H_
