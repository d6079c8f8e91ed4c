#include "model/season/sources.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/math/lanes.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/season/sources.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/doubles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::season {
namespace HWY_NAMESPACE {

namespace doubles = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using D = doubles::Doubles;
using V = hn::Vec<D>;

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

HWY_INLINE float LastValue(const Past& past, float level) {
  // The `far` newest values may be a glitch, and a glitch is nobody's forecast (rule 6.18).
  for (int age = past.far; age <= past.older; ++age) {
    if (!std::isnan(past.newest[-age])) return past.newest[-age];
  }
  return level;
}

// The age of the value to repeat `ahead` steps ahead: whole seasons before that step, the fewest that reach the past.
HWY_INLINE int AgeAhead(int lag, int ahead) { return (ahead + lag - 1) / lag * lag - ahead; }

// The value at this age, or the latest value that is whole seasons older; NaN if none is present.
HWY_INLINE float SeasonAgo(const Past& past, int lag, int age) {
  while (age <= past.older && std::isnan(past.At(age))) age += lag;
  return age <= past.older ? past.At(age) : kMissing;
}

// The mean of the values present among this age and the next seasons back, kSeasonsInMean at most. Without any such
// value the result is SeasonAgo.
HWY_INLINE float SeasonsMean(const Past& past, int lag, int age) {
  double sum = 0.0;
  int present = 0;
  // In double and newest first (rule 6.22).
  for (int season = 0, at = age; season < kSeasonsInMean && at <= past.older; ++season, at += lag) {
    if (std::isnan(past.At(at))) continue;
    sum += past.At(at);
    ++present;
  }
  return present > 0 ? static_cast<float>(sum / present) : SeasonAgo(past, lag, age);
}

HWY_INLINE float Otherwise(float value, float otherwise) { return std::isnan(value) ? otherwise : value; }

// Loads a vector of values; the first has this age, each next value is one token later. A value that is no part of a
// season becomes 0; every other lane adds 1 to `present`.
HWY_INLINE V Seasonal(const Past& past, int age, V& present) {
  const D d;
  const V value = doubles::LoadFloats(d, past.newest - age);
  const auto above = hn::Ge(value, hn::Set(d, double{past.typical.low}));
  const auto seasonal = hn::And(above, hn::Le(value, hn::Set(d, double{past.typical.high})));
  present = hn::Add(present, hn::IfThenElseZero(seasonal, hn::Set(d, 1.0)));
  return hn::IfThenElseZero(seasonal, value);
}

// Writes a vector of means of seasons, or of values if `seasons` is 1. The first has this age, each next is one token
// later. Returns false and writes nothing where a lane needs an older season; the caller then takes the scalar way.
HWY_INLINE bool WriteVector(const Past& past, int lag, int age, int seasons, float* out) {
  const D d;
  const int later = static_cast<int>(hn::Lanes(d)) - 1;  // the distance of the last lane
  if (age - later < past.far) return false;
  V sum = hn::Zero(d), present = hn::Zero(d);
  for (int season = 0; season < seasons; ++season, age += lag) {
    if (age - later > past.older) break;
    if (age > past.older) return false;
    const V value = Seasonal(past, age, present);
    sum = seasons == 1 ? value : hn::Add(sum, value);
  }
  if (!hn::AllFalse(d, hn::Eq(present, hn::Zero(d)))) return false;
  doubles::StoreFloats(d, seasons == 1 ? sum : hn::Div(sum, present), out);
  return true;
}

// Writes the value or the mean at `count` ages from `age` downwards; NaN where none exists. REQUIRES: count <= age + 1.
HWY_INLINE void WriteAges(const Past& past, int lag, int age, bool mean, size_t count, float* out) {
  const size_t lanes = hn::Lanes(D());
  const auto write = [&](size_t i) HWY_ATTR {
    const int at = age - static_cast<int>(i);
    out[i] = mean ? SeasonsMean(past, lag, at) : SeasonAgo(past, lag, at);
  };
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    if (WriteVector(past, lag, age - static_cast<int>(i), mean ? kSeasonsInMean : 1, out + i)) continue;
    for (size_t one = i; one < i + lanes; ++one) write(one);
  }
  for (; i < count; ++i) write(i);
}

// Writes a source from one step ahead on. Each step is one token later, and each new season repeats the season before.
HWY_INLINE void WriteSource(const Past& past, int lag, bool mean, float last, absl::Span<float> out) {
  const size_t season = std::min(static_cast<size_t>(lag), out.size());
  WriteAges(past, lag, lag - 1, mean, season, out.data());
  for (size_t j = 0; j < season; ++j) out[j] = Otherwise(out[j], last);
  for (size_t j = season; j < out.size(); ++j) out[j] = out[j - season];
}

using Floats = hn::CappedTag<float, math::kLanes>;

// A vector of values; the first has this age, each next value is one token later. NaN where no part of a season.
HWY_INLINE hn::Vec<Floats> SeasonalValues(const Past& past, int age) {
  const Floats d;
  const auto value = hn::LoadU(d, past.newest - age);
  const auto above = hn::Ge(value, hn::Set(d, past.typical.low));
  const auto seasonal = hn::And(above, hn::Le(value, hn::Set(d, past.typical.high)));
  return hn::IfThenElse(seasonal, value, hn::Set(d, kMissing));
}

// Writes each value less expected(age), for the ages from `begin` to `end`. some(age) is a vector of expected values.
template <class Expected, class Some>
HWY_INLINE void WriteBeyond(const Past& past, int lag, int begin, int end, Expected expected, Some some, float* out) {
  const Floats d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto write = [&](int age)
                         HWY_ATTR { out[age] = age + lag > past.older ? kMissing : past.At(age) - expected(age); };
  int age = begin;
  for (; age < std::min(end, past.far); ++age) write(age);
  for (; age + lanes <= std::min(end, past.older - lag + 1); age += lanes) {
    const int oldest = age + lanes - 1;
    hn::StoreU(hn::Reverse(d, hn::Sub(SeasonalValues(past, oldest), some(oldest))), d, out + age);
  }
  for (; age < end; ++age) write(age);
}

// Writes each value less the value one season before.
HWY_INLINE void WriteResidualsOfValues(const Past& past, int lag, absl::Span<float> out) {
  const Past before = past.Before(0);  // a past whose newest values all count, since `far` is 0
  WriteBeyond(
      past, lag, 0, static_cast<int>(out.size()), [&](int age) HWY_ATTR { return before.At(age + lag); },
      [&](int age) HWY_ATTR { return SeasonalValues(before, age + lag); }, out.data());
}

// Writes each value less the mean of the seasons before.
HWY_INLINE void WriteResidualsOfMeans(const Past& past, int lag, absl::Span<float> out) {
  constexpr int kStretch = 64;  // means computed at a time
  const int count = static_cast<int>(out.size());
  const Past before = past.Before(0);
  float means[kStretch];  // oldest first
  for (int begin = 0, end; begin < count; begin = end) {
    end = std::min(begin + kStretch, count);
    const float* newest = means + (end - begin) - 1;
    WriteAges(before, lag, lag + end - 1, /*mean=*/true, static_cast<size_t>(end - begin), means);
    WriteBeyond(
        past, lag, begin, end, [&](int age) HWY_ATTR { return newest[begin - age]; },
        [&](int age) HWY_ATTR { return hn::LoadU(Floats(), newest + begin - age); }, out.data());
  }
}

void WriteAtAll(const Past& past, const SeasonChoice& choice, float level, int ahead, float* out) {
  const float last = LastValue(past, level);
  std::fill_n(out, kSourceCount, last);
  if (const int lag = choice.first; lag > 0) {
    out[kSeasonAgo] = Otherwise(SeasonAgo(past, lag, AgeAhead(lag, ahead)), last);
    out[kSeasonsMean] = Otherwise(SeasonsMean(past, lag, AgeAhead(lag, ahead)), last);
  }
  if (const int lag = choice.second; lag > 0) {
    out[kSecondAgo] = Otherwise(SeasonAgo(past, lag, AgeAhead(lag, ahead)), last);
  }
}

void WriteAll(const Past& past, const SeasonChoice& choice, float level, size_t horizon, float* out) {
  const auto of = [=](Source source) HWY_ATTR { return absl::MakeSpan(out + source * horizon, horizon); };
  const float last = LastValue(past, level);
  std::fill_n(out, kSourceCount * horizon, last);
  if (const int lag = choice.first; lag > 0) {
    WriteSource(past, lag, /*mean=*/false, last, of(kSeasonAgo));
    WriteSource(past, lag, /*mean=*/true, last, of(kSeasonsMean));
  }
  if (const int lag = choice.second; lag > 0) {
    WriteSource(past, lag, /*mean=*/false, last, of(kSecondAgo));
  }
}

void WriteResidualsAll(const Past& past, const SeasonChoice& choice, size_t count, float* out) {
  std::fill_n(out, (kSourceCount - 1) * count, kMissing);
  const auto of = [=](size_t source) HWY_ATTR { return absl::MakeSpan(out + (source - kSeasonAgo) * count, count); };
  if (choice.first > 0) WriteResidualsOfValues(past, choice.first, of(kSeasonAgo));
  if (choice.first > 0) WriteResidualsOfMeans(past, choice.first, of(kSeasonsMean));
  if (choice.second > 0) WriteResidualsOfValues(past, choice.second, of(kSecondAgo));
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::season
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::season {

HWY_EXPORT(WriteAtAll);
HWY_EXPORT(WriteAll);
HWY_EXPORT(WriteResidualsAll);

void WriteSourcesAt(const Past& past, const SeasonChoice& choice, float level, int ahead, float* out) {
  HWY_DYNAMIC_DISPATCH(WriteAtAll)(past, choice, level, ahead, out);
}

void WriteSources(const Past& past, const SeasonChoice& choice, float level, size_t horizon, float* out) {
  HWY_DYNAMIC_DISPATCH(WriteAll)(past, choice, level, horizon, out);
}

void WriteResiduals(const Past& past, const SeasonChoice& choice, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(WriteResidualsAll)(past, choice, count, out);
}

}  // namespace aaren::season
#endif
