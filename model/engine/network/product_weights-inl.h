// Three ways in which a kernel of the exact product (product.cc) reads weights: as floats, as halves turned into floats
// in registers, or as halves that the first group of rows turns into floats for all groups. Each way is a struct with
//
//   AddAll(product, row, column, depths, sums): adds the products of `depths`, in order, to the sums of kRows rows and
//   kVectors vectors of outputs
//
// A file includes this one once per target, inside foreach_target.

#if defined(AAREN_MODEL_ENGINE_NETWORK_PRODUCT_WEIGHTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AAREN_MODEL_ENGINE_NETWORK_PRODUCT_WEIGHTS_INL_H_
#undef AAREN_MODEL_ENGINE_NETWORK_PRODUCT_WEIGHTS_INL_H_
#else
#define AAREN_MODEL_ENGINE_NETWORK_PRODUCT_WEIGHTS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "model/engine/network/packed_matrix.h"
#include "model/math/lanes.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::engine {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, math::kLanes>;
using V = hn::Vec<D>;

constexpr size_t kDepthBlock = 128;

// The operands of one call, and the place for its results.
struct Product {
  const PackedMatrix& matrix;
  const float* x;
  size_t x_stride;
  float* out;
  size_t out_stride;
  float* unpacked;  // [kUnpackedDepth, 2 vectors]: the floats of a few outputs' halves, which many rows read
};

// The sums of kRows rows and kVectors vectors of outputs. Each sum is one chain of FMAs.
template <size_t kRows, size_t kVectors>
struct Sums {
  HWY_INLINE Sums() {
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(D());
    }
  }

  // Adds the products of one depth. w: the depth's weights. x: the first row's input at the depth.
  HWY_INLINE void Add(const V (&w)[kVectors], const float* x, size_t x_stride) {
    for (size_t r = 0; r < kRows; ++r) {
      const V input = hn::Set(D(), x[r * x_stride]);
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(input, w[v], sums[r][v]);
    }
  }

  V sums[kRows][kVectors];
};

// Prefetches the weights of kVectors vectors. The processor's own prefetch comes too late for weights in the third
// cache.
constexpr size_t kVectorsOfPanel = math::kLanes / hn::MaxLanes(D());
template <size_t kVectors, typename T>
HWY_INLINE void Fetch(const T* const (&weights)[kVectors], size_t at) {
  for (size_t v = 0; v < kVectors; v += kVectorsOfPanel) hwy::Prefetch(weights[v] + at);
}

// The depths [begin, end) of K. REQUIRES: begin is even.
struct Depths {
  size_t begin, end;
};

// Reads weights kept as floats. With kFetchNext, the kernel also prefetches the weights of the next outputs. Otherwise
// each panel would begin with a wait for the third cache or for memory.
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

// Reads weights kept as halves, two in a word.
struct Halves {
  using DWords = hn::RebindToUnsigned<D>;
  static constexpr size_t kAhead = 1024 / sizeof(uint32_t);  // distance of the prefetch, in words

  static HWY_INLINE V Even(hn::Vec<DWords> words) { return hn::BitCast(D(), hn::ShiftLeft<16>(words)); }
  static HWY_INLINE V Odd(hn::Vec<DWords> words) {
    return hn::BitCast(D(), hn::And(words, hn::Set(DWords(), 0xffff0000u)));
  }

  static HWY_INLINE const uint32_t* Words(const PackedMatrix& matrix, size_t column, size_t depth) {
    return matrix.halves(column) + depth / 2 * PackedMatrix::kBeside;
  }

  // Adds both halves of one word before the next word. More words at once do not fit the registers beside the sums of
  // so many outputs.
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

  // Adds all products of one depth.
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

// The depths whose halves are turned into floats at once. The floats of so many depths fit the second cache beside the
// inputs.
constexpr size_t kUnpackedDepth = 4 * kDepthBlock;

// Reads halves for many rows. The first group of rows turns the halves into floats, which costs no time because the
// multipliers are busy. All later groups read the floats.
template <bool kFirst>
struct Unpacked {
  template <size_t kRows, size_t kVectors>
  static HWY_INLINE void AddAll(const Product& product, size_t row, size_t column, Depths depths,
                                Sums<kRows, kVectors>& sums) {
    constexpr size_t kLanes = hn::MaxLanes(D()), kStep = kVectors * kLanes;
    float* floats = product.unpacked + depths.begin % kUnpackedDepth * kStep;
    const size_t x_stride = product.x_stride;  // a local copy, which no store can change
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

  // Adds all products of one depth, and stores the depth's floats.
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

  // The odd halves as floats. Two shifts replace the mask on AVX2, where the mask would take a register from the sums.
  static HWY_INLINE V Odd(hn::Vec<Halves::DWords> words) {
    if constexpr (HWY_TARGET == HWY_AVX2) return hn::BitCast(D(), hn::ShiftLeft<16>(hn::ShiftRight<16>(words)));
    return Halves::Odd(words);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace aaren::engine
HWY_AFTER_NAMESPACE();

#endif  // per target
