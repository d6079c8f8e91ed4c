#ifndef AAREN_MODEL_ENGINE_NETWORK_SPLIT_ROWS_H_
#define AAREN_MODEL_ENGINE_NETWORK_SPLIT_ROWS_H_

// SplitRows are the inputs of a fast product: each float as the sum of two bfloat16 parts, upper and lower.
//
// One part alone would keep 8 of a float's 24 bits, and put forecasts 2 % of their scale off; both parts keep 16 bits.
// Parts too small to matter become 0, so that no product or sum of the tier is ever subnormal. AMX would flush
// subnormal numbers to zero, while vectors would not.
//
// Layout: [2 rows][depth, padded with zeros to kDepthBlock]. The lower part of a row follows the upper part. Threading:
// one thread.

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>

namespace aaren::engine {

class SplitRows {
 public:
  static constexpr size_t kDepthBlock = 32;  // depths in a block of a product
  static constexpr size_t Pad(size_t depth) { return (depth + kDepthBlock - 1) / kDepthBlock * kDepthBlock; }

  // Allocates room for `rows` rows of `depth` floats.
  SplitRows(size_t rows, size_t depth);

  // Splits x: [rows, depth], with rows x_stride apart. REQUIRES: the constructor's room suffices.
  void Split(const float* x, size_t x_stride, size_t rows, size_t depth);

  size_t rows() const { return rows_; }
  size_t stride() const { return stride_; }  // distance from part to part
  const uint16_t* parts(size_t row) const { return parts_.get() + 2 * row * stride_; }

 private:
  size_t rows_ = 0;
  size_t stride_ = 0;
  hwy::AlignedFreeUniquePtr<uint16_t[]> parts_;
};

// A weight as the fast product uses the weight: the nearest bfloat16, ties to even, or 0 if too small (rule 14.1).
float RoundWeight(float weight);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_SPLIT_ROWS_H_
