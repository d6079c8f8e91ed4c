#ifndef AAREN_MODEL_ENGINE_NETWORK_SPLIT_ROWS_H_
#define AAREN_MODEL_ENGINE_NETWORK_SPLIT_ROWS_H_

// SplitRows are the inputs of a fast product: each float as the sum of two bfloat16, its upper and its lower part.
//
// One alone would keep 8 bits of a float's 24, and forecasts 2 % of their scale off; both keep 16. Parts too small to
// matter count as 0, so that no product or sum of the tier is ever subnormal: AMX would flush it, and others not.
//
// Layout: [2 rows][depth, padded with zeros to kDepthBlock]: the upper part of a row, then its lower. Threading: of one
// thread.

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>

namespace aaren::engine {

class SplitRows {
 public:
  static constexpr size_t kDepthBlock = 32;  // of a product
  static constexpr size_t Pad(size_t depth) { return (depth + kDepthBlock - 1) / kDepthBlock * kDepthBlock; }

  // Room for as many.
  SplitRows(size_t rows, size_t depth);

  // x: [rows, depth], rows x_stride apart. REQUIRES: there is room.
  void Split(const float* x, size_t x_stride, size_t rows, size_t depth);

  size_t rows() const { return rows_; }
  size_t stride() const { return stride_; }  // from part to part
  const uint16_t* parts(size_t row) const { return parts_.get() + 2 * row * stride_; }

 private:
  size_t rows_ = 0;
  size_t stride_ = 0;
  hwy::AlignedFreeUniquePtr<uint16_t[]> parts_;
};

// The nearest bfloat16, ties to even, that is not too small for a fast product: what it makes of a weight.
float RoundWeight(float weight);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_SPLIT_ROWS_H_
