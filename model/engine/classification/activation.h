#ifndef AAREN_MODEL_ENGINE_CLASSIFICATION_ACTIVATION_H_
#define AAREN_MODEL_ENGINE_CLASSIFICATION_ACTIVATION_H_

// The functions between the classifier's products, with the same bits on every machine: sums, products, quotients and
// roots of doubles in a fixed order, and Exp of model/math/doubles.h. Threading: free functions.

#include <cstddef>

#include "model/engine/classification/sizes.h"

namespace aaren::classification {

// x = gelu(x) = x P(a standard normal number is below x), for kWidth or kHidden numbers, within 2e-7 |x|.
void Gelu(size_t count, float* x);

// The gain and offset of a LayerNorm.
struct Norm {
  float gain[kWidth], offset[kWidth];
};

// out = gain (s - mean) / sqrt(variance + epsilon) + offset, where s = x + added; `added` may be null, and `out` may be
// x. The vectors have kWidth numbers.
void LayerNorm(const float* x, const float* added, const Norm& norm, float* out);

// Writes the softmax of `count` logits. `work` has room for as many doubles.
void Softmax(const double* logits, size_t count, double* work, float* probabilities);

}  // namespace aaren::classification

#endif  // AAREN_MODEL_ENGINE_CLASSIFICATION_ACTIVATION_H_
