#ifndef AAREN_MODEL_ENGINE_NETWORK_PACKED_MATRIX_H_
#define AAREN_MODEL_ENGINE_NETWORK_PACKED_MATRIX_H_

// A PackedMatrix holds one or more linear layers of equal depth K side by side. Each layer is padded to a multiple of
// kLanes outputs. Floats lie in panels [outputs / 16][K][16]. Threading: immutable after Pack.
//
// If every weight is a bfloat16 (a float whose lower half is zero), weights are kept as halves, in half the memory. A
// kernel turns halves back into floats: in registers for a few tokens, or once for many tokens (product_weights-inl.h).
// The floats are the same numbers, so the products have the same bits.
//
// Halves lie in words of two, for depths k and k + 1. A shift makes the first half a float, a mask the second. Four
// panels lie beside each other, [outputs / 64][K / 2][64], so that a kernel reads few streams. K is padded with zeros
// to whole blocks of the fast product (split_product.h), which reads halves only.

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "model/math/lanes.h"
#include "model/package/package.h"

namespace aaren::engine {

class PackedMatrix {
 public:
  struct Linear {
    const package::Tensor& weight;          // [outputs, depth]
    const package::Tensor* bias = nullptr;  // [outputs]; zero if null
  };

  PackedMatrix() = default;

  // Keeps halves if no weight loses a bit, else floats. REQUIRES: layers is not empty, and all layers have one depth.
  static PackedMatrix Pack(std::initializer_list<Linear> layers);

  size_t depth() const { return depth_; }
  size_t width() const { return width_; }                        // outputs of all layers with their padding
  size_t offset(size_t layer) const { return offsets_[layer]; }  // the first output of a layer
  bool halved() const { return halves_ != nullptr; }             // true if weights are kept as bfloat16
  const float* bias() const { return bias_.get(); }              // [width]
  float weight(size_t k, size_t column) const;                   // slow

  const float* weights() const { return weights_.get(); }  // [width / kLanes][depth][kLanes]; REQUIRES: !halved()

  // The words of a column's halves, from the first pair of depths on. The lower half of a word has an even k, and the
  // word of the next pair is kBeside words further on. REQUIRES: halved().
  const uint32_t* halves(size_t column) const {  // inline, because a call inside a kernel would cost registers
    return halves_.get() + column / kBeside * kBeside * pairs_ + column % kBeside;
  }
  static constexpr size_t kBeside = 4 * math::kLanes;  // outputs

 private:
  void PackLinear(const Linear& linear, size_t offset);
  void Halve();

  size_t depth_ = 0;
  size_t pairs_ = 0;  // pairs of depths, including the padding
  size_t width_ = 0;
  std::vector<size_t> offsets_;
  hwy::AlignedFreeUniquePtr<float[]> weights_;
  hwy::AlignedFreeUniquePtr<uint32_t[]> halves_;
  hwy::AlignedFreeUniquePtr<float[]> bias_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_PACKED_MATRIX_H_
