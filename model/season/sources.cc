#include "model/season/sources.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aaren::season {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

float LastValue(const Past& past, float level) {
  for (int age = past.far; age <= past.older; ++age) {
    if (!std::isnan(past.newest[-age])) return past.newest[-age];
  }
  return level;
}

// How long before the newest value the one is that is a season, or as many as needed, before the one `ahead` of it.
int AgeAhead(int lag, int ahead) { return (ahead + lag - 1) / lag * lag - ahead; }

// The value at this age, or else the latest that is whole seasons older; NaN if none is present.
float SeasonAgo(const Past& past, int lag, int age) {
  while (age <= past.older && std::isnan(past.At(age))) age += lag;
  return age <= past.older ? past.At(age) : kMissing;
}

// The mean of the values at this age and whole seasons older, of kSeasonsInMean at most, as far as present.
float SeasonsMean(const Past& past, int lag, int age) {
  double sum = 0.0;
  int present = 0;
  for (int season = 0, at = age; season < kSeasonsInMean && at <= past.older; ++season, at += lag) {
    if (std::isnan(past.At(at))) continue;
    sum += past.At(at);
    ++present;
  }
  return present > 0 ? static_cast<float>(sum / present) : SeasonAgo(past, lag, age);
}

float Otherwise(float value, float otherwise) { return std::isnan(value) ? otherwise : value; }

using Forecast = float (*)(const Past&, int lag, int age);

// From one step ahead on, without a division a step: each is one value later, and at the newest a season starts again.
template <Forecast kForecast>
void WriteSource(const Past& past, int lag, float last, size_t horizon, float* out) {
  int age = lag;
  for (size_t j = 0; j < horizon; ++j) {
    age = (age > 0 ? age : lag) - 1;
    out[j] = Otherwise(kForecast(past, lag, age), last);
  }
}

// What the value at this age is beyond what was one step ahead before it.
float Residual(const Past& past, int lag, int age, bool mean) {
  if (age + lag > past.older) return kMissing;
  const Past before = past.Before(age + lag);
  return past.At(age) - (mean ? SeasonsMean(before, lag, 0) : before.At(0));
}

}  // namespace

void WriteSourcesAt(const Past& past, const SeasonChoice& choice, float level, int ahead, float* out) {
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

void WriteSources(const Past& past, const SeasonChoice& choice, float level, size_t horizon, float* out) {
  const float last = LastValue(past, level);
  std::fill_n(out, kSourceCount * horizon, last);
  if (const int lag = choice.first; lag > 0) {
    WriteSource<SeasonAgo>(past, lag, last, horizon, out + kSeasonAgo * horizon);
    WriteSource<SeasonsMean>(past, lag, last, horizon, out + kSeasonsMean * horizon);
  }
  if (const int lag = choice.second; lag > 0) {
    WriteSource<SeasonAgo>(past, lag, last, horizon, out + kSecondAgo * horizon);
  }
}

void WriteResiduals(const Past& past, const SeasonChoice& choice, size_t count, float* out) {
  std::fill_n(out, (kSourceCount - 1) * count, kMissing);
  for (size_t i = 0; i < count; ++i) {
    const int age = static_cast<int>(i);
    if (choice.first > 0) out[i] = Residual(past, choice.first, age, /*mean=*/false);
    if (choice.first > 0) out[count + i] = Residual(past, choice.first, age, /*mean=*/true);
    if (choice.second > 0) out[2 * count + i] = Residual(past, choice.second, age, /*mean=*/false);
  }
}

}  // namespace aaren::season
