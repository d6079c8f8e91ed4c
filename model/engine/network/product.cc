#include "model/engine/network/product.h"

#include <hwy/cache_control.h>

#include <algorithm>

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
// So few do not keep the multipliers busy for as long as weights take to come.
constexpr size_t kFewest = HWY_TARGET == HWY_AVX2 ? 1 : 2;

// The operands of one call, and where its results go.
struct Product {
  const PackedMatrix& matrix;
  const float* x;
  size_t x_stride;
  float* out;
  size_t out_stride;
  float* unpacked;  // [kUnpackedDepth, 2 vectors]: floats of a few outputs' halves, where many rows read them
};

// The sums of kRows rows and kVectors vectors of outputs: one FMA chain for each.
template <size_t kRows, size_t kVectors>
struct Sums {
  HWY_INLINE Sums() {
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(D());
    }
  }

  // Weights of one depth; x is the first row's input there.
  HWY_INLINE void Add(const V (&w)[kVectors], const float* x, size_t x_stride) {
    for (size_t r = 0; r < kRows; ++r) {
      const V input = hn::Set(D(), x[r * x_stride]);
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(input, w[v], sums[r][v]);
    }
  }

  V sums[kRows][kVectors];
};

// Asks for the weights of kVectors vectors that are needed later. The processor does so too late by itself where they
// come from the third cache.
constexpr size_t kVectorsOfPanel = math::kLanes / hn::MaxLanes(D());
template <size_t kVectors, typename T>
HWY_INLINE void Fetch(const T* const (&weights)[kVectors], size_t at) {
  for (size_t v = 0; v < kVectors; v += kVectorsOfPanel) hwy::Prefetch(weights[v] + at);
}

// Depths [begin, end) of K. REQUIRES: begin is even.
struct Depths {
  size_t begin, end;
};

// Weights as floats. Those of the next outputs may be asked for meanwhile: by itself the processor would wait for the
// third cache, or for memory, at the beginning of each panel.
template <bool kFetchNext>
struct Floats {
  template <size_t kRows, size_t kVectors>
  static HWY_INLINE void AddAll(const Product& product, size_t row, size_t column, Depths depths,
                                Sums<kRows, kVectors>& sums) {
    const D d;
    const float* weights[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t at = column + v * hn::Lanes(d);
      weights[v] =
          product.matrix.weights() + at / math::kLanes * math::kLanes * product.matrix.depth() + at % math::kLanes;
    }
    const size_t next = std::max(kVectors / kVectorsOfPanel, size_t{1}) * math::kLanes * product.matrix.depth();
    const float* x = product.x + row * product.x_stride;
    for (size_t k = depths.begin; k < depths.end; ++k) {
      V w[kVectors];
      for (size_t v = 0; v < kVectors; ++v) w[v] = hn::Load(d, weights[v] + k * math::kLanes);
      if constexpr (kFetchNext) Fetch(weights, k * math::kLanes + next);
      sums.Add(w, x + k, product.x_stride);
    }
  }
};

// Weights as halves, two in a word.
struct Halves {
  using DWords = hn::RebindToUnsigned<D>;
  static constexpr size_t kAhead = 1024 / sizeof(uint32_t);  // of what is asked for

  static HWY_INLINE V Even(hn::Vec<DWords> words) { return hn::BitCast(D(), hn::ShiftLeft<16>(words)); }
  static HWY_INLINE V Odd(hn::Vec<DWords> words) {
    return hn::BitCast(D(), hn::And(words, hn::Set(DWords(), 0xffff0000u)));
  }

  static HWY_INLINE const uint32_t* Words(const PackedMatrix& matrix, size_t column, size_t depth) {
    return matrix.halves(column) + depth / 2 * PackedMatrix::kBeside;
  }

  // Both weights of a word in turn: more words at once do not fit the registers beside the sums of so many outputs.
  template <size_t kRows, size_t kVectors>
  static HWY_INLINE void AddPair(const uint32_t* const (&words)[kVectors], size_t at, const float* x, size_t x_stride,
                                 Sums<kRows, kVectors>& all) {
    V even[kRows], odd[kRows];
    for (size_t r = 0; r < kRows; ++r) {
      even[r] = hn::Set(D(), x[r * x_stride]);
      odd[r] = hn::Set(D(), x[r * x_stride + 1]);
    }
    for (size_t v = 0; v < kVectors; ++v) {
      const auto pair = hn::Load(DWords(), words[v] + at);
      for (size_t r = 0; r < kRows; ++r) all.sums[r][v] = hn::MulAdd(even[r], Even(pair), all.sums[r][v]);
      for (size_t r = 0; r < kRows; ++r) all.sums[r][v] = hn::MulAdd(odd[r], Odd(pair), all.sums[r][v]);
    }
  }

  // All of one depth.
  template <bool kOdd, size_t kRows, size_t kVectors>
  static HWY_INLINE void AddDepth(const uint32_t* const (&words)[kVectors], size_t at, const float* x, size_t x_stride,
                                  Sums<kRows, kVectors>& sums) {
    V w[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      const auto pair = hn::Load(DWords(), words[v] + at);
      w[v] = kOdd ? Odd(pair) : Even(pair);
    }
    sums.Add(w, x, x_stride);
  }

  template <size_t kRows, size_t kVectors>
  static HWY_INLINE void AddAll(const Product& product, size_t row, size_t column, Depths depths,
                                Sums<kRows, kVectors>& sums) {
    const uint32_t* words[kVectors];
    for (size_t v = 0; v < kVectors; ++v) words[v] = Words(product.matrix, column + v * hn::Lanes(D()), depths.begin);
    const float* x = product.x + row * product.x_stride;
    size_t k = depths.begin, at = 0;
    for (; k + 1 < depths.end; k += 2, at += PackedMatrix::kBeside) {
      Fetch(words, at + kAhead);
      if constexpr (kRows <= 2) {
        AddPair(words, at, x + k, product.x_stride, sums);
      } else {
        AddDepth<false>(words, at, x + k, product.x_stride, sums);
        AddDepth<true>(words, at, x + k + 1, product.x_stride, sums);
      }
    }
    if (k < depths.end) AddDepth<false>(words, at, x + k, product.x_stride, sums);
  }
};

// The depths of halves that are made floats at once: their floats fit the second cache, beside the inputs.
constexpr size_t kUnpackedDepth = 4 * kDepthBlock;

// Halves that many rows read. The first group makes them floats, which costs it nothing: the multipliers are busy. All
// others read these.
template <bool kFirst>
struct Unpacked {
  template <size_t kRows, size_t kVectors>
  static HWY_INLINE void AddAll(const Product& product, size_t row, size_t column, Depths depths,
                                Sums<kRows, kVectors>& sums) {
    constexpr size_t kLanes = hn::MaxLanes(D()), kStep = kVectors * kLanes;
    float* floats = product.unpacked + depths.begin % kUnpackedDepth * kStep;
    const size_t x_stride = product.x_stride;  // a copy, which stores cannot change
    const float* x = product.x + row * x_stride;
    if constexpr (kFirst) {
      const uint32_t* words[kVectors];
      for (size_t v = 0; v < kVectors; ++v) words[v] = Halves::Words(product.matrix, column + v * kLanes, depths.begin);
      size_t k = depths.begin, at = 0;
      for (; k + 1 < depths.end; k += 2, at += PackedMatrix::kBeside, floats += 2 * kStep) {
        Fetch(words, at + Halves::kAhead);
        AddAndKeep<false>(words, at, x + k, x_stride, floats, sums);
        AddAndKeep<true>(words, at, x + k + 1, x_stride, floats + kStep, sums);
      }
      if (k < depths.end) AddAndKeep<false>(words, at, x + k, x_stride, floats, sums);
    } else {
      for (size_t k = depths.begin; k < depths.end; ++k, floats += kStep) {
        V w[kVectors];
        for (size_t v = 0; v < kVectors; ++v) w[v] = hn::Load(D(), floats + v * kLanes);
        sums.Add(w, x + k, x_stride);
      }
    }
  }

  // All of one depth.
  template <bool kOdd, size_t kRows, size_t kVectors>
  static HWY_INLINE void AddAndKeep(const uint32_t* const (&words)[kVectors], size_t at, const float* x,
                                    size_t x_stride, float* floats, Sums<kRows, kVectors>& sums) {
    V w[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      const auto pair = hn::Load(Halves::DWords(), words[v] + at);
      w[v] = kOdd ? Odd(pair) : Halves::Even(pair);
      hn::Store(w[v], D(), floats + v * hn::Lanes(D()));
    }
    sums.Add(w, x, x_stride);
  }

  // A mask would take one of AVX2's sixteen registers from the sums.
  static HWY_INLINE V Odd(hn::Vec<Halves::DWords> words) {
    if constexpr (HWY_TARGET == HWY_AVX2) return hn::BitCast(D(), hn::ShiftLeft<16>(hn::ShiftRight<16>(words)));
    return Halves::Odd(words);
  }
};

// One block of K for kRows rows and kVectors vectors of outputs.
template <typename Weight, size_t kRows, size_t kVectors>
HWY_INLINE void AddBlock(const Product& product, size_t row, size_t column, Depths depths) {
  const D d;
  Sums<kRows, kVectors> all;
  Weight::AddAll(product, row, column, depths, all);
  for (size_t r = 0; r < kRows; ++r) {
    float* out = product.out + (row + r) * product.out_stride + column;
    for (size_t v = 0; v < kVectors; ++v, out += hn::Lanes(d)) {
      V sum = all.sums[r][v];
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
  for (size_t begin = depths.begin; begin < depths.end; begin += kDepthBlock) {
    AddBlock<Weight, kRows, kVectors>(product, row, column, {begin, std::min(depths.end, begin + kDepthBlock)});
  }
}

// `rows` rows from `row` on in one group. Apart from its caller, which would otherwise hold all the kernels, and the
// compiler would run out of registers in each. REQUIRES: 1 <= rows <= kRows.
template <typename Weight, size_t kRows, size_t kVectors>
HWY_NOINLINE void MultiplyApart(const Product& product, size_t rows, size_t row, size_t column, Depths depths) {
  if (rows == kRows) return MultiplyGroup<Weight, kRows, kVectors>(product, row, column, depths);
  if constexpr (kRows > 1) MultiplyApart<Weight, kRows - 1, kVectors>(product, rows, row, column, depths);
}

// How many rows the next group takes. What does not fill a group is shared with the one before: a few rows alone would
// leave the multipliers idle.
constexpr size_t NextGroup(size_t rows) {
  return rows >= 2 * kMaxRows ? kMaxRows : rows > kMaxRows ? rows - rows / 2 : rows;
}

// The rows from `row` on for kVectors vectors of outputs, whose weights stay in the first cache.
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

// Of floats as they are.
template <typename Weight>
struct AllRows {
  template <size_t kVectors>
  static HWY_INLINE void Multiply(const Product& product, size_t rows, size_t column) {
    MultiplyRows<Weight, kVectors>(product, 0, rows, column, {0, product.matrix.depth()});
  }
};

// Of halves, which the first group unpacks.
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

// A chain waits for its own last sum: few rows need many outputs at once to keep the multipliers busy, as many as there
// are registers for.
constexpr size_t VectorsBeside(size_t rows) {
  if (rows == 1) return 8;
  if (HWY_TARGET == HWY_AVX2) return rows == 2 ? 4 : 2;
  return rows <= 2 ? 8 : rows <= 6 ? 4 : 2;
}

// `groups` groups of as many vectors of outputs, the first at `column`. REQUIRES: 1 <= vectors <= kVectors.
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

// All outputs in groups of about equal size: one vector left alone takes as long as a group.
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

// A group of rows after the other, each of which reads the halves. Unpacked for two groups, they would cost more time.
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
  // Very few rows, or short panels, are done before what is asked for would be there.
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
