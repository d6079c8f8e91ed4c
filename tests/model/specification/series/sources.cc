#include "tests/model/specification/series/sources.h"

#include "tests/model/specification/arithmetic.h"

namespace aaren::specification {
namespace {

// 6.18
float Last(const Series& series, Standpoint from) {
  for (int64_t token = from.token - from.far * from.every; token >= series.t - 1487; token -= from.every) {
    const float x = series.Seen(token);
    if (!Missing(x)) return x;
  }
  return static_cast<float>(series.mean);
}

// 6.19
int64_t FirstCandidate(int64_t token, int j, int lag) { return token + j - lag * ((j + lag - 1) / lag); }

}  // namespace

float SeasonalValue(const Series& series, int64_t token, Standpoint from) {
  if (token > from.token - from.far * from.every || token < series.t - 1487) return kMissing;
  const float x = series.Seen(token);
  return x >= series.typical_low && x <= series.typical_high ? x : kMissing;
}

float NewestSeasonal(const Series& series, int64_t token, int lag, Standpoint from) {
  for (; token >= series.t - 1487; token -= lag) {
    const float x = SeasonalValue(series, token, from);
    if (!Missing(x)) return x;
  }
  return kMissing;
}

float MeanOfFour(const Series& series, int64_t token, int lag, Standpoint from) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < 4; ++i, token -= lag) {
    const float x = SeasonalValue(series, token, from);
    if (Missing(x)) continue;
    sum += x;
    ++count;
  }
  return count == 0 ? kMissing : static_cast<float>(sum / count);
}

std::array<float, 4> Sources(const Series& series, Seasons seasons, int j, Standpoint from) {
  const float last = Last(series, from);
  const auto or_last = [last](float x) { return Missing(x) ? last : x; };  // 6.24
  std::array<float, 4> sources = {last, last, last, last};
  if (seasons.a != 0) {
    const int64_t first = FirstCandidate(from.token, j, seasons.a);
    const float ago = NewestSeasonal(series, first, seasons.a, from);
    const float mean = MeanOfFour(series, first, seasons.a, from);
    sources[1] = or_last(ago);
    sources[2] = or_last(Missing(mean) ? ago : mean);  // 6.23
  }
  if (seasons.b != 0) {
    sources[3] = or_last(NewestSeasonal(series, FirstCandidate(from.token, j, seasons.b), seasons.b, from));
  }
  return sources;
}

}  // namespace aaren::specification
