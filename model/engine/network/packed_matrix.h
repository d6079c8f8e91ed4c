#ifndef AAREN_MODEL_ENGINE_NETWORK_PACKED_MATRIX_H_
#define AAREN_MODEL_ENGINE_NETWORK_PACKED_MATRIX_H_

// A PackedMatrix holds one or more linear layers of equal depth K side by side. Each is padded to a multiple of kLanes
// outputs, in panels [outputs / 16][K][16]. Threading: immutable after Pack.
//
// Where every weight is a bfloat16 - a float whose lower half is zero -, they are kept as such, at half the size, and
// made floats on the way: in registers for some tokens, and once for all of many (product_weights-inl.h). They are the
// same numbers, so the same bits.
//
// Such halves lie in words of two, of k and k + 1: one is made a float by a shift, the other by a mask. Four panels lie
// beside each other, [outputs / 64][K / 2][64], so that a kernel reads few streams. K is padded with zeros to whole
// blocks of a fast product (split_product.h), which reads nothing else.

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

  // Keeps halves where they lose nothing, floats elsewhere. REQUIRES: layers is not empty and all have one depth.
  static PackedMatrix Pack(std::initializer_list<Linear> layers);

  size_t depth() const { return depth_; }
  size_t width() const { return width_; }                        // outputs of all layers with their padding
  size_t offset(size_t layer) const { return offsets_[layer]; }  // where a layer's outputs begin
  bool halved() const { return halves_ != nullptr; }             // whether weights are kept as bfloat16
  const float* bias() const { return bias_.get(); }              // [width]
  float weight(size_t k, size_t column) const;                   // slow

  const float* weights() const { return weights_.get(); }  // [width / kLanes][depth][kLanes]; only if not halved()

  // Words of two halves, the lower one for an even k: of the first pair of depths, the next kBeside words on. Only if
  // halved().
  const uint32_t* halves(size_t column) const {  // here, because a call inside a kernel would cost it registers
    return halves_.get() + column / kBeside * kBeside * pairs_ + column % kBeside;
  }
  static constexpr size_t kBeside = 4 * math::kLanes;  // outputs

 private:
  void PackLinear(const Linear& linear, size_t offset);
  void Halve();

  size_t depth_ = 0;
  size_t pairs_ = 0;  // of depths, with their padding
  size_t width_ = 0;
  std::vector<size_t> offsets_;
  hwy::AlignedFreeUniquePtr<float[]> weights_;
  hwy::AlignedFreeUniquePtr<uint32_t[]> halves_;
  hwy::AlignedFreeUniquePtr<float[]> bias_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_PACKED_MATRIX_H_
