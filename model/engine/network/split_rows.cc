#include "model/engine/network/split_rows.h"

#include <algorithm>
#include <bit>

#include "model/math/lanes.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/network/split_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aaren::engine {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, math::kLanes>;
using DU = hn::RebindToUnsigned<D>;
using U = hn::Vec<DU>;

constexpr uint32_t kMagnitude = 0x7fffffffu;
constexpr uint32_t kLeastPart = 0x21800000u;  // 2^-60; times the least weight, 2^-40, still no subnormal number

// Stores the upper half of each number as a part; 0 where the number is too small.
HWY_INLINE void StorePart(U bits, uint16_t* to) {
  const DU du;
  const auto small = hn::Lt(hn::And(bits, hn::Set(du, kMagnitude)), hn::Set(du, kLeastPart));
  const U part = hn::ShiftRight<16>(hn::IfThenZeroElse(small, bits));
  const hn::RebindToSigned<DU> di;
  // A part is below 2^16, so the conversion, which saturates, changes no part.
  const hn::Rebind<uint16_t, DU> dh;
  hn::StoreU(hn::DemoteTo(dh, hn::BitCast(di, part)), dh, to);
}

// Splits `depth` numbers, a multiple of the vector's size, into a row's upper and lower parts.
HWY_INLINE void SplitWhole(const float* x, size_t depth, uint16_t* upper, uint16_t* lower) {
  const D d;
  const DU du;
  for (size_t k = 0; k < depth; k += hn::Lanes(d)) {
    const auto value = hn::LoadU(d, x + k);
    const U bits = hn::And(hn::BitCast(du, value), hn::Set(du, 0xffff0000u));
    // The difference is exact, because the upper part is the value without its last bits.
    const U rest = hn::BitCast(du, hn::Sub(value, hn::BitCast(d, bits)));
    // With an odd bit above, a tie rounds up, and else down: ties to even (rule 14.2).
    const U odd = hn::And(hn::ShiftRight<16>(rest), hn::Set(du, 1));
    StorePart(bits, upper + k);
    StorePart(hn::Add(rest, hn::Add(odd, hn::Set(du, 0x7fffu))), lower + k);
  }
}

void SplitAll(const float* x, size_t x_stride, size_t rows, size_t depth, uint16_t* parts, size_t stride) {
  const size_t whole = depth / math::kLanes * math::kLanes;
  for (size_t row = 0; row < rows; ++row, x += x_stride, parts += 2 * stride) {
    uint16_t* const lower = parts + stride;
    SplitWhole(x, whole, parts, lower);
    // Depths up to the end of the last block are zeros, and add nothing to a chain.
    std::fill(parts + whole, lower, 0);
    std::fill(lower + whole, lower + stride, 0);
    if (whole == depth) continue;
    // The last numbers pass through a padded copy: a whole vector would read beyond the row.
    float last[math::kLanes] = {};
    std::copy(x + whole, x + depth, last);
    SplitWhole(last, math::kLanes, parts + whole, lower + whole);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::engine {

HWY_EXPORT(SplitAll);

SplitRows::SplitRows(size_t rows, size_t depth) : parts_(hwy::AllocateAligned<uint16_t>(2 * rows * Pad(depth))) {}

void SplitRows::Split(const float* x, size_t x_stride, size_t rows, size_t depth) {
  rows_ = rows;
  stride_ = Pad(depth);
  HWY_DYNAMIC_DISPATCH(SplitAll)(x, x_stride, rows, depth, parts_.get(), stride_);
}

float RoundWeight(float weight) {
  constexpr uint32_t kLeastWeight = 0x2b800000u;  // 2^-40
  uint32_t bits = std::bit_cast<uint32_t>(weight);
  // Rounds to the nearest bfloat16, ties to even, as in SplitWhole.
  bits = (bits + 0x7fffu + (bits >> 16 & 1)) & 0xffff0000u;
  // A weight that rounds to infinity becomes the largest bfloat16 instead.
  if ((bits & 0x7fffffffu) == 0x7f800000u) bits -= 0x10000u;
  return (bits & 0x7fffffffu) < kLeastWeight ? 0.0f : std::bit_cast<float>(bits);
}

}  // namespace aaren::engine
#endif
