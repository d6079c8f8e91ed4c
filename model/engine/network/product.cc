#include "model/engine/network/product.h"

#include <algorithm>

#include "model/math/lanes.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/network/product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/engine/network/product_weights-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::engine {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The most rows whose sums fit the registers, beside two vectors of weights and a vector of inputs. No CPU that the
// engine accepts computes without vectors: one kernel does for that target, and the file compiles in less time.
constexpr bool kNoVectors = HWY_TARGET == HWY_SCALAR;
constexpr size_t kMaxRows = kNoVectors ? 1 : HWY_TARGET == HWY_AVX2 ? 6 : 12;
// Up to this many rows, prefetching the next outputs' weights does not pay: the multiplications end before the weights
// arrive.
constexpr size_t kFewest = HWY_TARGET == HWY_AVX2 ? 1 : 2;

// Computes one block of K for kRows rows and kVectors vectors of outputs.
template <typename Weight, size_t kRows, size_t kVectors>
HWY_INLINE void AddBlock(const Product& product, size_t row, size_t column, Depths depths) {
  const D d;
  Sums<kRows, kVectors> all;
  Weight::AddAll(product, row, column, depths, all);
  for (size_t r = 0; r < kRows; ++r) {
    float* out = product.out + (row + r) * product.out_stride + column;
    for (size_t v = 0; v < kVectors; ++v, out += hn::Lanes(d)) {
      V sum = all.sums[r][v];
      // The sum of the earlier blocks waits in `out`. Blocks are added in order, and the bias after the last block
      // (rule 11.5).
      if (depths.begin > 0) sum = hn::Add(hn::Load(d, out), sum);
      if (depths.end == product.matrix.depth()) {
        sum = hn::Add(sum, hn::Load(d, product.matrix.bias() + column + v * hn::Lanes(d)));
      }
      hn::Store(sum, d, out);
    }
  }
}

template <typename Weight, size_t kRows, size_t kVectors>
HWY_INLINE void MultiplyGroup(const Product& product, size_t row, size_t column, Depths depths) {
  // Each block starts a chain from 0 (rule 11.4), whatever group of rows and outputs computes the block.
  for (size_t begin = depths.begin; begin < depths.end; begin += kDepthBlock) {
    AddBlock<Weight, kRows, kVectors>(product, row, column, {begin, std::min(depths.end, begin + kDepthBlock)});
  }
}

// Multiplies `rows` rows from `row` on, in one group. The function is not inlined: a caller that contained all kernels
// would make the compiler run out of registers in each. REQUIRES: 1 <= rows <= kRows.
template <typename Weight, size_t kRows, size_t kVectors>
HWY_NOINLINE void MultiplyApart(const Product& product, size_t rows, size_t row, size_t column, Depths depths) {
  if (rows == kRows) return MultiplyGroup<Weight, kRows, kVectors>(product, row, column, depths);
  if constexpr (kRows > 1) MultiplyApart<Weight, kRows - 1, kVectors>(product, rows, row, column, depths);
}

// The number of rows in the next group. Rows that do not fill a group are shared out between the last two groups,
// because a few rows alone would leave the multipliers idle.
constexpr size_t NextGroup(size_t rows) {
  return rows >= 2 * kMaxRows ? kMaxRows : rows > kMaxRows ? rows - rows / 2 : rows;
}

// Multiplies the rows from `row` on for kVectors vectors of outputs, whose weights stay in the first cache.
template <typename Weight, size_t kVectors>
HWY_INLINE void MultiplyRows(const Product& product, size_t row, size_t rows, size_t column, Depths depths) {
  while (row < rows) {
    const size_t group = NextGroup(rows - row);
    if (group == kMaxRows) {
      MultiplyGroup<Weight, kMaxRows, kVectors>(product, row, column, depths);
    } else {
      MultiplyApart<Weight, kMaxRows, kVectors>(product, group, row, column, depths);
    }
    row += group;
  }
}

// The product with weights that are kept as floats.
template <typename Weight>
struct AllRows {
  template <size_t kVectors>
  static HWY_INLINE void Multiply(const Product& product, size_t rows, size_t column) {
    MultiplyRows<Weight, kVectors>(product, 0, rows, column, {0, product.matrix.depth()});
  }
};

// The product with weights that are kept as halves. The first group of rows turns the halves into floats.
struct AllRowsOfHalves {
  template <size_t kVectors>
  static HWY_INLINE void Multiply(const Product& product, size_t rows, size_t column) {
    const size_t depth = product.matrix.depth(), first = NextGroup(rows);
    for (size_t begin = 0; begin < depth; begin += kUnpackedDepth) {
      const Depths depths{begin, std::min(depth, begin + kUnpackedDepth)};
      MultiplyApart<Unpacked<true>, kMaxRows, kVectors>(product, first, 0, column, depths);
      MultiplyRows<Unpacked<false>, kVectors>(product, first, rows, column, depths);
    }
  }
};

template <typename Rows>
void MultiplyMany(const Product& product, size_t rows) {
  const size_t lanes = hn::Lanes(D()), width = product.matrix.width();
  size_t column = 0;
  for (; column + 2 * lanes <= width; column += 2 * lanes) Rows::template Multiply<2>(product, rows, column);
  if (column < width) Rows::template Multiply<1>(product, rows, column);
}

// The number of output vectors that a kernel computes at once. Each FMA of a chain waits for the chain's last sum. So a
// few rows need many outputs at once to keep the multipliers busy, as many as the registers hold.
constexpr size_t VectorsBeside(size_t rows) {
  if (kNoVectors) return 1;
  if (rows == 1) return 8;
  if (HWY_TARGET == HWY_AVX2) return rows == 2 ? 4 : 2;
  return rows <= 2 ? 8 : rows <= 6 ? 4 : 2;
}

// Computes `groups` groups of `vectors` vectors of outputs, the first at `column`. REQUIRES: 1 <= vectors <= kVectors.
template <typename Weight, size_t kRows, size_t kVectors>
HWY_NOINLINE void MultiplyColumns(const Product& product, size_t vectors, size_t column, size_t groups) {
  if (vectors == kVectors) {
    for (; groups > 0; --groups, column += kVectors * hn::Lanes(D())) {
      MultiplyGroup<Weight, kRows, kVectors>(product, 0, column, {0, product.matrix.depth()});
    }
    return;
  }
  if constexpr (kVectors > 1) MultiplyColumns<Weight, kRows, kVectors - 1>(product, vectors, column, groups);
}

// Computes all outputs in groups of nearly equal size, because one vector left alone takes as long as a whole group.
template <typename Weight, size_t kRows>
void MultiplyWidth(const Product& product) {
  constexpr size_t kMost = VectorsBeside(kRows);
  const size_t lanes = hn::Lanes(D()), vectors = product.matrix.width() / lanes;
  const size_t groups = (vectors + kMost - 1) / kMost, each = vectors / groups, larger = vectors % groups;
  if (larger > 0) MultiplyColumns<Weight, kRows, kMost>(product, each + 1, 0, larger);
  MultiplyColumns<Weight, kRows, kMost>(product, each, larger * (each + 1) * lanes, groups - larger);
}

// REQUIRES: 1 <= rows <= kRows.
template <typename Weight, size_t kRows>
void MultiplyFew(const Product& product, size_t rows) {
  if (rows == kRows) return MultiplyWidth<Weight, kRows>(product);
  if constexpr (kRows > 1) MultiplyFew<Weight, kRows - 1>(product, rows);
}

// Multiplies one group of rows after the other; each group reads the halves anew. For only two groups, unpacking the
// halves would cost more time than reading twice.
void MultiplyHalves(Product product, size_t rows) {
  while (rows > 0) {
    const size_t group = NextGroup(rows);
    MultiplyFew<Halves, kMaxRows>(product, group);
    product.x += group * product.x_stride;
    product.out += group * product.out_stride;
    rows -= group;
  }
}

void MultiplyAll(const PackedMatrix& matrix, const float* x, size_t x_stride, size_t rows, float* out,
                 size_t out_stride) {
  if (rows == 0) return;
  alignas(64) float unpacked[kUnpackedDepth * 2 * math::kLanes];
  const Product product{matrix, x, x_stride, out, out_stride, unpacked};
  if (matrix.halved()) {
    return rows <= 2 * kMaxRows ? MultiplyHalves(product, rows) : MultiplyMany<AllRowsOfHalves>(product, rows);
  }
  const bool few = rows <= kMaxRows;
  // With very few rows or short panels, the product is done before prefetched weights would arrive.
  if (rows > kFewest && matrix.depth() > kDepthBlock) {
    using Weight = Floats<true>;
    return few ? MultiplyFew<Weight, kMaxRows>(product, rows) : MultiplyMany<AllRows<Weight>>(product, rows);
  }
  using Weight = Floats<false>;
  few ? MultiplyFew<Weight, kMaxRows>(product, rows) : MultiplyMany<AllRows<Weight>>(product, rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::engine {

HWY_EXPORT(MultiplyAll);

void Multiply(const PackedMatrix& matrix, const float* x, size_t x_stride, size_t rows, float* out, size_t out_stride) {
  HWY_DYNAMIC_DISPATCH(MultiplyAll)(matrix, x, x_stride, rows, out, out_stride);
}

}  // namespace aaren::engine
#endif
