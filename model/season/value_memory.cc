#include "model/season/value_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "model/math/lanes.h"
#include "model/math/scaling.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/season/value_memory.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aaren::season {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Decodes one block: fma(step, code, low), or NaN for a missing value's code.
HWY_INLINE void DecodeBlock(const uint16_t* codes, float low, float step, const Bounds& bounds, float* out) {
  const hn::CappedTag<float, math::kLanes> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<uint16_t, decltype(d)> du;
  const auto missing = hn::Set(di, ValueMemory::kMissingCode);
  const auto none = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  for (size_t i = 0; i < ValueMemory::kBlock; i += hn::Lanes(d)) {
    const auto code = hn::PromoteTo(di, hn::LoadU(du, codes + i));
    const auto value = hn::MulAdd(hn::Set(d, step), hn::ConvertTo(d, code), hn::Set(d, low));
    const auto bounded = hn::Min(hn::Max(value, hn::Set(d, bounds.low)), hn::Set(d, bounds.high));
    hn::StoreU(hn::IfThenElse(hn::RebindMask(d, hn::Eq(code, missing)), none, bounded), d, out + i);
  }
}

// Decodes all blocks in the order of time; the oldest block is at place `first`.
void DecodeBlocks(const ValueMemory* memory, size_t first, const Bounds& bounds, float* out) {
  for (size_t i = 0; i < ValueMemory::kBlocks; ++i) {
    const size_t block = (first + i) % ValueMemory::kBlocks;
    DecodeBlock(memory->codes + block * ValueMemory::kBlock, memory->low[block], memory->step[block], bounds,
                out + i * ValueMemory::kBlock);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::season
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::season {

HWY_EXPORT(DecodeBlocks);

namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr double kFarRanges = 64.0, kFarDeviations = 4.0;  // the last block's, the series'; where the origin moves
constexpr double kMostCode = ValueMemory::kMissingCode - 1;

// The widest range of codes that a block of possible values can have. Rounding the step up to a power of two makes the
// range of codes at most twice as wide as the range of values.
constexpr double kWidestSpan = 4.0 * math::kLargestValue;

// The least power of two, and a normal float, for which kMostCode steps span `range`. REQUIRES: range > 0.
float StepOf(double range) {
  int exponent;
  const double fraction = std::frexp(range / kMostCode, &exponent);  // in [1/2, 1)
  const double step = std::ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
  return static_cast<float>(std::max<double>(step, std::numeric_limits<float>::min()));
}

// The grid of a block: code k stands for low + step * k.
struct Grid {
  float low, step;
};

// Codes a block and returns its grid; `low` is NaN if no value is present.
Grid EncodeBlock(const float* values, const Bounds& bounds, uint16_t* codes) {
  float bounded[ValueMemory::kBlock];
  float least = std::numeric_limits<float>::infinity(), most = -least;
  for (size_t i = 0; i < ValueMemory::kBlock; ++i) {
    bounded[i] = bounds.Apply(values[i]);
    least = bounded[i] < least ? bounded[i] : least;  // a NaN fails both comparisons
    most = bounded[i] > most ? bounded[i] : most;
  }
  if (least > most) least = most = kMissing;
  const float step = least < most ? StepOf(static_cast<double>(most) - least) : 0.0f;
  for (size_t i = 0; i < ValueMemory::kBlock; ++i) {
    const double steps = step > 0.0f ? (static_cast<double>(bounded[i]) - least) / step : 0.0;
    codes[i] = std::isnan(bounded[i]) ? ValueMemory::kMissingCode : static_cast<uint16_t>(steps + 0.5);
  }
  return {.low = least, .step = step};
}

// The least or the largest number left after a tenth of the numbers is dropped on that side. The share is rounded so
// that one of four is dropped. REQUIRES: count > 0.
float WithoutExtremes(float* numbers, size_t count, bool least) {
  const size_t dropped = (count + 6) / 10;
  const size_t at = least ? dropped : count - 1 - dropped;
  std::nth_element(numbers, numbers + at, numbers + count);
  return numbers[at];
}

absl::Status Impossible(const char* field, size_t index, float value) {
  return absl::DataLossError(absl::StrCat("row: ", field, "[", index, "] is ", value, ", impossible"));
}

}  // namespace

void ValueMemory::Reset() {
  typical = kAnywhere;
  std::fill(std::begin(recent), std::end(recent), kMissing);
  std::fill(std::begin(low), std::end(low), 0.0f);
  std::fill(std::begin(step), std::end(step), 0.0f);
  std::fill(std::begin(codes), std::end(codes), kMissingCode);
}

void ValueMemory::Add(uint64_t seq, float value, const Bounds& bounds) {
  recent[seq % kBlock] = value;
  if ((seq + 1) % kBlock != 0) return;
  const size_t block = seq / kBlock % kBlocks;
  const Grid grid = EncodeBlock(recent, bounds, codes + block * kBlock);
  low[block] = grid.low;
  step[block] = grid.step;
  typical = TypicalRange(seq / kBlock + 1);
}

Bounds ValueMemory::TypicalRange(uint64_t whole) const {
  float lows[kBlocks], highs[kBlocks];
  size_t count = 0;
  for (size_t i = 0; i < std::min<uint64_t>(whole, kBlocks); ++i) {
    if (std::isnan(low[i])) continue;
    lows[count] = low[i];
    highs[count++] = low[i] + step[i] * static_cast<float>(kMostCode);
  }
  if (count == 0) return kAnywhere;
  const float least = WithoutExtremes(lows, count, true), most = WithoutExtremes(highs, count, false);
  return {least - (most - least), most + (most - least)};
}

const float* ValueMemory::Unroll(uint64_t newest, const Bounds& bounds, Window& window) const {
  const size_t whole = (newest + 1) / kBlock;  // blocks filled since the start
  const size_t under_way = (newest + 1) % kBlock;
  HWY_DYNAMIC_DISPATCH(DecodeBlocks)(this, whole % kBlocks, bounds, window.values);
  for (size_t i = 0; i < under_way; ++i) window.values[kValues + i] = bounds.Apply(recent[i]);
  return window.values + kValues + under_way - 1;
}

double ValueMemory::FarFromOrigin(double variance) const {
  float least = std::numeric_limits<float>::infinity(), most = -least, newest = 0;
  for (float value : recent) {
    if (std::isnan(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
    newest = value;
  }
  if (least > most) return 0;
  const double level = std::min(std::abs(static_cast<double>(least)), std::abs(static_cast<double>(most)));
  const bool far =
      level > kFarRanges * (static_cast<double>(most) - least) && level > kFarDeviations * std::sqrt(variance);
  return far ? newest : 0;
}

void ValueMemory::Shift(uint64_t seq, double distance) {
  for (float* bound : {&typical.low, &typical.high}) *bound = static_cast<float>(*bound - distance);
  for (float& value : recent) value = math::Shifted(value, distance);
  for (size_t i = 0; i < std::min<uint64_t>(kBlocks, seq / kBlock); ++i) low[i] = math::Shifted(low[i], distance);
}

absl::Status ValueMemory::Check(uint64_t seq) const {
  if (std::isnan(typical.low) || std::isnan(typical.high)) return Impossible("typical", 0, typical.low);
  for (size_t i = 0; i < kBlock; ++i) {
    const float value = std::abs(recent[i]);
    if (std::isnan(value) ||
        (i < seq && value <= math::kLargestDistance && (value == 0.0f || value >= math::kLeastValue)))
      continue;
    return Impossible("recent", i, recent[i]);
  }
  for (size_t i = 0; i < kBlocks; ++i) {
    const bool filled = i < seq / kBlock;
    const bool empty = filled && std::isnan(low[i]);
    if (!empty && !(std::abs(low[i]) <= (filled ? math::kLargestDistance : 0.0f))) return Impossible("low", i, low[i]);
    if (!(step[i] >= 0.0f && step[i] * kMostCode <= (filled ? kWidestSpan : 0.0)))
      return Impossible("step", i, step[i]);
  }
  for (size_t i = 0; i < kValues; ++i) {
    if (codes[i] != kMissingCode && i / kBlock >= seq / kBlock) return Impossible("codes", i, codes[i]);
  }
  return absl::OkStatus();
}

}  // namespace aaren::season
#endif
