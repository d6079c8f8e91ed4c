#include "model/engine/network/product.h"

#include <algorithm>
#include <bit>

#include "model/math/lanes.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/network/product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aaren::engine {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, math::kLanes>;
using V = hn::Vec<D>;

constexpr size_t kDepthBlock = 128;
// As many sums as the registers hold beside two of weights and one of inputs.
constexpr size_t kMaxRows = HWY_TARGET == HWY_AVX2 ? 6 : 12;

// The operands of one call, and where its results go.
struct Product {
  const PackedMatrix& matrix;
  const float* x;
  size_t x_stride;
  float* out;
  size_t out_stride;

  template <typename Weight>
  const Weight* Weights(size_t column) const {
    return matrix.weights<Weight>() + column / math::kLanes * math::kLanes * matrix.depth() + column % math::kLanes;
  }
};

HWY_INLINE V LoadWeights(const float* weights) { return hn::Load(D(), weights); }
HWY_INLINE V LoadWeights(const hwy::bfloat16_t* weights) {
  return hn::PromoteTo(D(), hn::Load(hn::Rebind<hwy::bfloat16_t, D>(), weights));
}

// One block of K for kRows rows and kVectors vectors of outputs: one FMA chain for each.
template <typename Weight, size_t kRows, size_t kVectors>
HWY_INLINE void AddBlock(const Product& product, size_t row, size_t column, size_t begin, size_t end) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  const float* x = product.x + row * product.x_stride;
  const Weight* weights[kVectors];
  V sums[kRows][kVectors];
  for (size_t v = 0; v < kVectors; ++v) {
    weights[v] = product.Weights<Weight>(column + v * lanes);
    for (size_t r = 0; r < kRows; ++r) sums[r][v] = hn::Zero(d);
  }
  for (size_t k = begin; k < end; ++k) {
    V w[kVectors];
    for (size_t v = 0; v < kVectors; ++v) w[v] = LoadWeights(weights[v] + k * math::kLanes);
    for (size_t r = 0; r < kRows; ++r) {
      const V input = hn::Set(d, x[r * product.x_stride + k]);
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(input, w[v], sums[r][v]);
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    float* out = product.out + (row + r) * product.out_stride + column;
    for (size_t v = 0; v < kVectors; ++v, out += lanes) {
      V sum = sums[r][v];
      if (begin > 0) sum = hn::Add(hn::Load(d, out), sum);
      if (end == product.matrix.depth()) sum = hn::Add(sum, hn::Load(d, product.matrix.bias() + column + v * lanes));
      hn::Store(sum, d, out);
    }
  }
}

template <typename Weight, size_t kRows, size_t kVectors>
HWY_INLINE void MultiplyGroup(const Product& product, size_t row, size_t column) {
  const size_t depth = product.matrix.depth();
  for (size_t begin = 0; begin < depth; begin += kDepthBlock) {
    AddBlock<Weight, kRows, kVectors>(product, row, column, begin, std::min(depth, begin + kDepthBlock));
  }
}

// The last rows, kRows at most, in one group; none are left where `row` is `rows`.
template <typename Weight, size_t kRows, size_t kVectors>
HWY_INLINE void MultiplyRest(const Product& product, size_t rows, size_t row, size_t column) {
  if (rows - row == kRows) return MultiplyGroup<Weight, kRows, kVectors>(product, row, column);
  if constexpr (kRows > 1) MultiplyRest<Weight, kRows - 1, kVectors>(product, rows, row, column);
}

// All rows for kVectors vectors of outputs, whose weights stay in the first cache.
template <size_t kVectors>
HWY_INLINE void MultiplyRows(const Product& product, size_t rows, size_t column) {
  size_t row = 0;
  for (; row + kMaxRows <= rows; row += kMaxRows) MultiplyGroup<float, kMaxRows, kVectors>(product, row, column);
  MultiplyRest<float, kMaxRows - 1, kVectors>(product, rows, row, column);
}

void MultiplyMany(const Product& product, size_t rows) {
  const size_t lanes = hn::Lanes(D()), width = product.matrix.width();
  size_t column = 0;
  for (; column + 2 * lanes <= width; column += 2 * lanes) MultiplyRows<2>(product, rows, column);
  if (column < width) MultiplyRows<1>(product, rows, column);
}

// A chain waits for its own last sum: few rows need many outputs at once to keep the multipliers busy, as many as there
// are registers for.
constexpr size_t VectorsBeside(size_t rows) {
  if (rows == 1) return 8;
  if (HWY_TARGET == HWY_AVX2) return rows == 2 ? 4 : 2;
  return rows <= 2 ? 8 : rows <= 6 ? 4 : 2;
}

// From `column` on, as many groups of kVectors vectors as fit, then smaller ones.
template <typename Weight, size_t kRows, size_t kVectors>
void MultiplyColumns(const Product& product, size_t column) {
  const size_t group = kVectors * hn::Lanes(D());
  for (; column + group <= product.matrix.width(); column += group) {
    MultiplyGroup<Weight, kRows, kVectors>(product, 0, column);
  }
  if constexpr (kVectors > 1) MultiplyColumns<Weight, kRows, kVectors / 2>(product, column);
}

// REQUIRES: 1 <= rows <= kRows.
template <typename Weight, size_t kRows>
void MultiplyFew(const Product& product, size_t rows) {
  if (rows == kRows) return MultiplyColumns<Weight, kRows, VectorsBeside(kRows)>(product, 0);
  if constexpr (kRows > 1) MultiplyFew<Weight, kRows - 1>(product, rows);
}

void MultiplyAll(const PackedMatrix& matrix, const float* x, size_t x_stride, size_t rows, float* out,
                 size_t out_stride) {
  if (rows == 0) return;
  const Product product{matrix, x, x_stride, out, out_stride};
  if (rows >= kMaxRows) return MultiplyMany(product, rows);
  if (matrix.halved()) return MultiplyFew<hwy::bfloat16_t, kMaxRows - 1>(product, rows);
  MultiplyFew<float, kMaxRows - 1>(product, rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::engine {

PackedMatrix PackedMatrix::Pack(std::initializer_list<Linear> layers) {
  PackedMatrix packed;
  packed.depth_ = static_cast<size_t>(layers.begin()->weight.shape[1]);
  for (const Linear& linear : layers) {
    packed.offsets_.push_back(packed.width_);
    packed.width_ += math::PadToLanes(static_cast<size_t>(linear.weight.shape[0]));
  }
  packed.weights_ = hwy::AllocateAligned<float>(packed.width_ * packed.depth_);
  packed.bias_ = hwy::AllocateAligned<float>(packed.width_);
  std::fill_n(packed.weights_.get(), packed.width_ * packed.depth_, 0.0f);
  std::fill_n(packed.bias_.get(), packed.width_, 0.0f);
  size_t i = 0;
  for (const Linear& linear : layers) packed.PackLinear(linear, packed.offsets_[i++]);
  packed.Halve();
  return packed;
}

// Keeps the upper halves if the lower ones are all zero.
void PackedMatrix::Halve() {
  const float* weights = weights_.get();
  const auto upper = [](float weight) { return std::bit_cast<uint32_t>(weight) >> 16; };
  const auto is_half = [&](float weight) { return std::bit_cast<uint32_t>(weight) == upper(weight) << 16; };
  const size_t count = width_ * depth_;
  if (!std::all_of(weights, weights + count, is_half)) return;
  halves_ = hwy::AllocateAligned<hwy::bfloat16_t>(count);
  for (size_t i = 0; i < count; ++i) halves_[i].bits = static_cast<uint16_t>(upper(weights[i]));
}

void PackedMatrix::PackLinear(const Linear& linear, size_t offset) {
  const size_t outputs = static_cast<size_t>(linear.weight.shape[0]);
  for (size_t n = 0; n < outputs; ++n) {
    const size_t column = offset + n;
    float* panel = weights_.get() + column / math::kLanes * math::kLanes * depth_ + column % math::kLanes;
    for (size_t k = 0; k < depth_; ++k) panel[k * math::kLanes] = linear.weight.data[n * depth_ + k];
  }
  if (linear.bias != nullptr) std::copy_n(linear.bias->data.data(), outputs, bias_.get() + offset);
}

HWY_EXPORT(MultiplyAll);

void Multiply(const PackedMatrix& matrix, const float* x, size_t x_stride, size_t rows, float* out, size_t out_stride) {
  HWY_DYNAMIC_DISPATCH(MultiplyAll)(matrix, x, x_stride, rows, out, out_stride);
}

}  // namespace aaren::engine
#endif
