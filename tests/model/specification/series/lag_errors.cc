#include "tests/model/specification/series/lag_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/model/specification/arithmetic.h"

namespace aaren::specification {
namespace {

size_t IndexOf(int lag) { return std::find(season::kLags.begin(), season::kLags.end(), lag) - season::kLags.begin(); }

// 6.10
double Octaves(int lag) {
  const double quarter = lag / 4.0;
  int k = 0;
  while (quarter / std::ldexp(1.0, k) - 1 >= 1) ++k;
  return k + (quarter / std::ldexp(1.0, k) - 1);
}

// 6.14, 6.15
bool IsApart(int lag, int a) {
  const bool multiple = lag % a == 0 && lag != 7 * a && !(lag == 1440 && a == 60);
  return std::abs(lag - a) > 0.07 * a && !multiple;
}

}  // namespace

LagErrors::LagErrors() { std::fill(std::begin(e), std::end(e), kMissing); }

void LagErrors::Take(const Series& series, float x) {
  t_ = series.t;
  if (Missing(x) || unit == 0) return;
  for (size_t i = 0; i < season::kLagCount && season::kLags[i] <= t_; ++i) {
    const int64_t before = t_ - season::kLags[i];
    const float y = before / 48 == t_ / 48 ? series.recent[before % 48] : series.Decoded(before);  // 1.30
    if (Missing(y)) continue;
    const float d = std::fmin(std::fabs(series.Reached(x) - series.Reached(y)) / unit, 4.0f);
    const int64_t judged = t_ - std::max(season::kLags[i], 17) + 1;
    const float rate = 1.0f / static_cast<float>(Clamp<int64_t>(judged, 1, 1500));  // 1.34
    e[i] = Missing(e[i]) ? d : e[i] + (d - e[i]) * rate;
  }
}

bool LagErrors::IsBelieved(size_t i) const {
  if (i >= season::kLagCount || Missing(e[i])) return false;
  const int64_t first = std::max(season::kLags[i], 17);
  return t_ >= first && t_ - first + 1 >= std::max(8, season::kLags[i] / 2);
}

float LagErrors::Believed(int lag) const {
  const size_t i = std::lower_bound(season::kLags.begin(), season::kLags.end(), lag) - season::kLags.begin();
  return IsBelieved(i) ? e[i] : kMissing;
}

float LagErrors::Error(int lag) const { return e[IndexOf(lag)]; }

std::optional<double> LagErrors::Score(int lag) const {
  const size_t i = IndexOf(lag);
  double sum = 0;  // G of 6.8
  int count = 0;   // g
  for (size_t j = 0; j < i; ++j) {
    if (!IsBelieved(j)) continue;
    sum += e[j];
    ++count;
  }
  if (!IsBelieved(i) || !(sum > 0)) return std::nullopt;
  const double dip = (i > 0 && IsLess(i - 1, i)) || IsLess(i + 1, i) ? 0.15 : 0;  // 6.11
  return (double{e[i]} * count / sum + 0.001) * (1 + 0.02 * Octaves(lag)) + dip;
}

Seasons LagErrors::Choose() const {
  const auto best = [&](auto allowed) {
    int least = 0;
    for (int lag : season::kLags) {
      if (lag < 4 || !allowed(lag) || !Score(lag)) continue;
      if (least == 0 || *Score(lag) < *Score(least)) least = lag;
    }
    return least;
  };
  const int a = best([](int) { return true; });
  return {a, a == 0 ? 0 : best([a](int lag) { return IsApart(lag, a); })};
}

}  // namespace aaren::specification
