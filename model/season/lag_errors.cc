#include "model/season/lag_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/season/lag_errors.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aaren::season {
namespace HWY_NAMESPACE {

// The values at the lags, those beyond the first token left out; returns how many. The fused multiply-add is an
// instruction here, and a call elsewhere.
HWY_ATTR size_t PastValues(const ValueMemory* memory, uint64_t seq, float* past) {
  const size_t in_block = seq % ValueMemory::kBlock;
  const size_t at = seq % ValueMemory::kValues;
  size_t count = 0;
  for (; count < kLagCount && static_cast<uint64_t>(kLags[count]) <= seq; ++count) {
    const size_t lag = static_cast<size_t>(kLags[count]);
    if (lag <= in_block) {
      past[count] = memory->recent[in_block - lag];
      continue;
    }
    const size_t index = at >= lag ? at - lag : at + ValueMemory::kValues - lag;
    const size_t block = index / ValueMemory::kBlock;
    const uint16_t code = memory->codes[index];
    past[count] = code == ValueMemory::kMissingCode
                      ? std::numeric_limits<float>::quiet_NaN()
                      : std::fma(memory->step[block], static_cast<float>(code), memory->low[block]);
  }
  return count;
}

// mean += (error - mean) * rate, where there is an error; the first one is the mean.
HWY_ATTR void Average(const float* past, const float* rate, size_t count, float value, const Bounds& bounds, float unit,
                      float* mean) {
  for (size_t i = 0; i < count; ++i) {
    const float distance = std::abs(value - bounds.Apply(past[i])) / unit;
    const float error = distance > LagErrors::kMost ? LagErrors::kMost : distance;  // NaN passes
    const float before = mean[i] == mean[i] ? mean[i] : error;
    const float after = before + (error - before) * rate[i];
    mean[i] = error == error ? after : mean[i];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::season
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::season {

HWY_EXPORT(PastValues);
HWY_EXPORT(Average);

namespace {

uint64_t Comparisons(uint64_t seq, size_t index) {
  const uint64_t lag = static_cast<uint64_t>(kLags[index]);
  const uint64_t first = std::max(lag, LagErrors::kFirst);
  return seq < first ? 0 : seq - first + 1;
}

void WriteRates(uint64_t seq, size_t count, float* rates) {
  if (Comparisons(seq, kLagCount - 1) >= LagErrors::kMemory) {  // as in most of a session's life
    std::fill_n(rates, count, 1.0f / static_cast<float>(LagErrors::kMemory));
    return;
  }
  const int token = static_cast<int>(seq);  // in int, of which vector instructions make floats
  for (size_t i = 0; i < count; ++i) {
    const int comparisons = token - std::max(kLags[i], static_cast<int>(LagErrors::kFirst)) + 1;
    rates[i] = 1.0f / static_cast<float>(std::clamp(comparisons, 1, static_cast<int>(LagErrors::kMemory)));
  }
}

}  // namespace

void LagErrors::Reset() {
  unit = 0.0f;
  std::fill(std::begin(mean), std::end(mean), std::numeric_limits<float>::quiet_NaN());
}

void LagErrors::SetUnit(double scale) {
  unit = static_cast<float>(std::clamp<double>(scale, kLeastUnit, std::numeric_limits<float>::max()));
}

void LagErrors::Add(uint64_t seq, float value, const Bounds& bounds, const ValueMemory& memory) {
  if (std::isnan(value) || unit == 0.0f) return;
  float past[kLagCount], rate[kLagCount];
  const size_t count = HWY_DYNAMIC_DISPATCH(PastValues)(&memory, seq, past);
  WriteRates(seq, count, rate);
  HWY_DYNAMIC_DISPATCH(Average)(past, rate, count, bounds.Apply(value), bounds, unit, mean);
}

bool LagErrors::Valid(uint64_t seq, size_t index) const {
  const uint64_t needed = std::max<uint64_t>(8, static_cast<uint64_t>(kLags[index]) / 2);
  return Comparisons(seq, index) >= needed && !std::isnan(mean[index]);
}

float LagErrors::At(uint64_t seq, int lag) const {
  const size_t index = static_cast<size_t>(std::lower_bound(kLags.begin(), kLags.end(), lag) - kLags.begin());
  return index < kLagCount && Valid(seq, index) ? mean[index] : std::numeric_limits<float>::quiet_NaN();
}

absl::Status LagErrors::Check(uint64_t seq) const {
  if (!(unit >= 0.0f && unit <= std::numeric_limits<float>::max()) || (unit != 0.0f && unit < kLeastUnit)) {
    return absl::DataLossError(absl::StrCat("row: the unit of errors is ", unit, ", impossible"));
  }
  for (size_t i = 0; i < kLagCount; ++i) {
    const bool compared = static_cast<uint64_t>(kLags[i]) < seq;
    if (std::isnan(mean[i]) || (compared && mean[i] >= 0.0f && mean[i] <= kMost)) continue;
    return absl::DataLossError(
        absl::StrCat("row: the error at lag ", kLags[i], " is ", mean[i], ", impossible after ", seq, " tokens"));
  }
  return absl::OkStatus();
}

}  // namespace aaren::season
#endif
