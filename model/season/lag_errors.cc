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

// The place of the newest value in the memory: within its block, and among all codes.
struct Place {
  size_t in_block, at;
};

// The fused multiply-add is one instruction in code compiled for a target with FMA. In other code std::fma is a call.
HWY_INLINE float PastValue(const ValueMemory& memory, const Place& place, size_t lag) {
  if (lag <= place.in_block) return memory.recent[place.in_block - lag];
  const size_t index = place.at >= lag ? place.at - lag : place.at + ValueMemory::kValues - lag;
  const size_t block = index / ValueMemory::kBlock;
  const uint16_t code = memory.codes[index];
  return code == ValueMemory::kMissingCode ? std::numeric_limits<float>::quiet_NaN()
                                           : std::fma(memory.step[block], static_cast<float>(code), memory.low[block]);
}

HWY_INLINE Place PlaceOf(uint64_t seq) { return {seq % ValueMemory::kBlock, seq % ValueMemory::kValues}; }

// Writes the values at the lags of the bank that do not reach beyond the first token. Returns the number of these lags.
HWY_ATTR size_t PastValues(const ValueMemory* memory, uint64_t seq, float* past) {
  const Place place = PlaceOf(seq);
  size_t count = 0;
  for (; count < kLagCount && static_cast<uint64_t>(kLags[count]) <= seq; ++count) {
    past[count] = PastValue(*memory, place, static_cast<size_t>(kLags[count]));
  }
  return count;
}

// Writes the values at the found lags; NaN in a free place.
HWY_ATTR void FoundValues(const ValueMemory* memory, uint64_t seq, const uint16_t* found, float* past) {
  const Place place = PlaceOf(seq);
  for (size_t i = 0; i < kFoundLags; ++i) {
    past[i] = found[i] == 0 ? std::numeric_limits<float>::quiet_NaN() : PastValue(*memory, place, found[i]);
  }
}

// mean += (error - mean) * rate, where an error is present. The first error becomes the mean.
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
HWY_EXPORT(FoundValues);
HWY_EXPORT(Average);

namespace {

// The comparisons of a lag by token `seq`. No token before number kFirst counts, because the series has no scale yet.
uint64_t Comparisons(uint64_t seq, int lag) {
  const uint64_t first = std::max(static_cast<uint64_t>(lag), LagErrors::kFirst);
  return seq < first ? 0 : seq - first + 1;
}

bool MayBeFound(int lag, uint64_t seq) {
  return lag >= kShortestSeason && lag <= kLongestFound && static_cast<uint64_t>(lag) < seq &&
         !std::binary_search(kLags.begin(), kLags.end(), lag);
}

void WriteRates(uint64_t seq, size_t count, float* rates) {
  if (Comparisons(seq, kLags.back()) >= LagErrors::kMemory) {  // the case in most of a session's life
    std::fill_n(rates, count, 1.0f / static_cast<float>(LagErrors::kMemory));
    return;
  }
  const int token = static_cast<int>(seq);  // an int, because vector instructions convert ints to float
  for (size_t i = 0; i < count; ++i) {
    const int comparisons = token - std::max(kLags[i], static_cast<int>(LagErrors::kFirst)) + 1;
    rates[i] = 1.0f / static_cast<float>(std::clamp(comparisons, 1, static_cast<int>(LagErrors::kMemory)));
  }
}

}  // namespace

void LagErrors::Reset() {
  unit = 0.0f;
  std::fill(std::begin(mean), std::end(mean), std::numeric_limits<float>::quiet_NaN());
  std::fill(std::begin(found_mean), std::end(found_mean), std::numeric_limits<float>::quiet_NaN());
  std::fill(std::begin(found), std::end(found), uint16_t{0});
  next_lag = kShortestSeason;
  tried_lag = 0;
  trial_left = 0;
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
  if (std::all_of(std::begin(found), std::end(found), [](uint16_t lag) { return lag == 0; })) return;
  HWY_DYNAMIC_DISPATCH(FoundValues)(&memory, seq, found, past);
  for (size_t i = 0; i < kFoundLags; ++i) {
    rate[i] = 1.0f / static_cast<float>(std::clamp<uint64_t>(Comparisons(seq, found[i]), 1, kMemory));
  }
  HWY_DYNAMIC_DISPATCH(Average)(past, rate, kFoundLags, bounds.Apply(value), bounds, unit, found_mean);
}

size_t LagErrors::Comparable(uint64_t seq) {
  const auto enough = [seq](int lag) {
    // A new season has to prove itself: few comparisons of a long lag may all come from better days.
    return Comparisons(seq, lag) >= std::max<uint64_t>(8, static_cast<uint64_t>(lag) / 2);
  };
  if (enough(kLags.back())) return kLagCount;  // the case in most of a session's life
  return static_cast<size_t>(std::partition_point(kLags.begin(), kLags.end(), enough) - kLags.begin());
}

float LagErrors::At(uint64_t seq, int lag) const {
  const size_t index = static_cast<size_t>(std::lower_bound(kLags.begin(), kLags.end(), lag) - kLags.begin());
  for (size_t i = 0; i < kFoundLags && (index == kLagCount || kLags[index] != lag); ++i) {
    if (found[i] != 0 && lag % found[i] == 0) return found_mean[i];
  }
  return index < Comparable(seq) ? mean[index] : std::numeric_limits<float>::quiet_NaN();
}

size_t LagErrors::FoundIndex(int lag) const {
  return static_cast<size_t>(std::find(std::begin(found), std::end(found), lag) - std::begin(found));
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
  return CheckFound(seq);
}

absl::Status LagErrors::CheckFound(uint64_t seq) const {
  if (next_lag < kShortestSeason || next_lag > kLongestFound) {
    return absl::DataLossError(absl::StrCat("row: the search for lags goes on at ", next_lag, ", impossible"));
  }
  if (tried_lag == 0 ? trial_left != 0 : !MayBeFound(tried_lag, seq) || trial_left < 1 || trial_left > kLongestTrial) {
    return absl::DataLossError(absl::StrCat("row: the lag on trial is ", tried_lag, " for another ", trial_left,
                                            " probes, impossible after ", seq, " tokens"));
  }
  for (size_t i = 0; i < kFoundLags; ++i) {
    const int lag = found[i];
    const bool is_lag = MayBeFound(lag, seq) && FoundIndex(lag) == i;
    if (lag == 0 ? std::isnan(found_mean[i]) : is_lag && found_mean[i] >= 0.0f && found_mean[i] <= kMost) continue;
    return absl::DataLossError(absl::StrCat("row: found lag ", i, " is ", lag, " with an error of ", found_mean[i],
                                            ", impossible after ", seq, " tokens"));
  }
  return absl::OkStatus();
}

}  // namespace aaren::season
#endif
