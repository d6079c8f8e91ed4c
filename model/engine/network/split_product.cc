#include "model/engine/network/split_product.h"

#include <algorithm>

#include "model/engine/network/amx.h"
#include "model/math/lanes.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/network/split_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aaren::engine {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, math::kLanes>;
using V = hn::Vec<D>;

constexpr size_t kParts = 2;
constexpr size_t kPairs = SplitRows::kDepthBlock / 2;  // of depths in a block
constexpr size_t kMostRows = HWY_TARGET == HWY_AVX2 ? 1 : 2;

// Two neighbouring depths: the halves of words, as floats.
struct Pair {
  HWY_INLINE Pair() : even(hn::Zero(D())), odd(hn::Zero(D())) {}  // a constructor of GCC's own lacks the target
  HWY_INLINE void Set(hn::Vec<hn::RebindToUnsigned<D>> words) {
    const D d;
    const hn::RebindToUnsigned<D> du;
    even = hn::BitCast(d, hn::ShiftLeft<16>(words));
    odd = hn::BitCast(d, hn::And(words, hn::Set(du, 0xffff0000u)));
  }
  V even, odd;
};

// The sums of one block of depths: even and odd ones are chains of their own.
template <size_t kRows, size_t kVectors>
HWY_INLINE void AddBlock(const uint32_t* inputs, size_t stride, const uint32_t* weights,
                         V (&sums)[kRows * kParts][kVectors]) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  Pair chains[kRows * kParts][kVectors];
  for (size_t pair = 0; pair < kPairs; ++pair, weights += PackedMatrix::kBeside) {
    Pair w[kVectors], x;
    for (size_t v = 0; v < kVectors; ++v) w[v].Set(hn::Load(du, weights + v * hn::Lanes(d)));
    for (size_t row = 0; row < kRows * kParts; ++row) {
      x.Set(hn::Set(du, inputs[row * stride + pair]));
      for (size_t v = 0; v < kVectors; ++v) {
        chains[row][v].even = hn::MulAdd(x.even, w[v].even, chains[row][v].even);
        chains[row][v].odd = hn::MulAdd(x.odd, w[v].odd, chains[row][v].odd);
      }
    }
  }
  for (size_t row = 0; row < kRows * kParts; ++row) {
    for (size_t v = 0; v < kVectors; ++v) {
      sums[row][v] = hn::Add(sums[row][v], hn::Add(chains[row][v].even, chains[row][v].odd));
    }
  }
}

// kRows rows and kVectors vectors of outputs. The parts of an input lie in its order as words of two.
template <size_t kRows, size_t kVectors>
HWY_NOINLINE void MultiplyGroup(const PackedMatrix& matrix, const SplitRows& x, size_t row, size_t column, float* out,
                                size_t out_stride) {
  const D d;
  V sums[kRows * kParts][kVectors];
  for (auto& vectors : sums) std::fill_n(vectors, kVectors, hn::Zero(d));
  const auto* inputs = reinterpret_cast<const uint32_t*>(x.parts(row));
  const uint32_t* weights = matrix.halves(column);
  for (size_t block = 0; block < x.stride() / SplitRows::kDepthBlock; ++block) {
    AddBlock<kRows, kVectors>(inputs + block * kPairs, x.stride() / 2, weights + block * kPairs * matrix.kBeside, sums);
  }
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t at = column + v * hn::Lanes(d);
      const V sum = hn::Add(sums[kParts * r][v], sums[kParts * r + 1][v]);
      hn::Store(hn::Add(sum, hn::Load(d, matrix.bias() + at)), d, out + (row + r) * out_stride + at);
    }
  }
}

template <size_t kVectors>
void MultiplyColumns(const PackedMatrix& matrix, const SplitRows& x, size_t column, float* out, size_t out_stride) {
  size_t row = 0;
  for (; row + kMostRows <= x.rows(); row += kMostRows)
    MultiplyGroup<kMostRows, kVectors>(matrix, x, row, column, out, out_stride);
  for (; row < x.rows(); ++row) MultiplyGroup<1, kVectors>(matrix, x, row, column, out, out_stride);
}

void MultiplyAll(const PackedMatrix& matrix, const SplitRows& x, float* out, size_t out_stride) {
  const size_t lanes = hn::Lanes(D()), width = matrix.width();
  size_t column = 0;
  for (; column + 2 * lanes <= width; column += 2 * lanes) MultiplyColumns<2>(matrix, x, column, out, out_stride);
  if (column < width) MultiplyColumns<1>(matrix, x, column, out, out_stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::engine {

HWY_EXPORT(MultiplyAll);

void MultiplySplitByVectors(const PackedMatrix& matrix, const SplitRows& x, float* out, size_t out_stride) {
  HWY_DYNAMIC_DISPATCH(MultiplyAll)(matrix, x, out, out_stride);
}

void MultiplySplit(const PackedMatrix& matrix, const SplitRows& x, float* out, size_t out_stride) {
  MayUseAmx() ? MultiplySplitByAmx(matrix, x, out, out_stride) : MultiplySplitByVectors(matrix, x, out, out_stride);
}

}  // namespace aaren::engine
#endif
