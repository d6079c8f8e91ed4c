// How a kernel of the exact product (product.cc) reads weights: floats, halves that it makes floats in registers, or
// halves that the first group of rows makes floats for the others. Each has
//
//   AddAll(product, row, column, depths, sums): adds to the sums of kRows rows and kVectors vectors of outputs, in the
//   order of the depths
//
// Included once per target, inside foreach_target.

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

}  // namespace HWY_NAMESPACE
}  // namespace aaren::engine
HWY_AFTER_NAMESPACE();

#endif  // per target
