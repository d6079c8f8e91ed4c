#include "tests/model/specification/series/lag_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tests/model/specification/arithmetic.h"

namespace aaren::specification {
namespace {

bool IsInBank(int lag) { return std::find(season::kLags.begin(), season::kLags.end(), lag) != season::kLags.end(); }

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

bool IsNear(int lag, int a) { return std::abs(lag - a) <= 0.07 * a; }

double Part(int lag, int a) { return IsNear(lag, a) ? 0.9 : 0.8; }  // 6.52

int Trial(int lag) { return Clamp(lag / 16 + 1, 4, 30); }  // 6.56

}  // namespace

LagErrors::LagErrors() { std::fill(std::begin(e), std::end(e), kMissing); }

void LagErrors::Take(const Series& series, float x) {
  t_ = series.t;
  if (Missing(x) || unit == 0) return;
  const auto take = [&](int lag, float& error) {
    const int64_t before = t_ - lag;
    const float y = before / 48 == t_ / 48 ? series.recent[before % 48] : series.Decoded(before);  // 1.30
    if (Missing(y)) return;
    const float miss = std::fmin(std::fabs(series.Reached(x) - series.Reached(y)) / unit, 4.0f);
    const int64_t judged = t_ - std::max(lag, 17) + 1;
    const float rate = 1.0f / static_cast<float>(Clamp<int64_t>(judged, 1, 1500));  // 1.34
    error = Missing(error) ? miss : error + (miss - error) * rate;
  };
  for (size_t i = 0; i < season::kLagCount && season::kLags[i] <= t_; ++i) take(season::kLags[i], e[i]);
  for (Place& place : places) {
    if (place.lag != 0) take(place.lag, place.e);
  }
}

bool LagErrors::IsBelieved(size_t i) const {
  if (i >= season::kLagCount || Missing(e[i])) return false;
  const int64_t first = std::max(season::kLags[i], 17);
  return t_ >= first && t_ - first + 1 >= std::max(8, season::kLags[i] / 2);
}

float LagErrors::Believed(int lag) const {
  for (const Place& place : places) {
    if (!IsInBank(lag) && place.lag != 0 && lag % place.lag == 0) return place.e;
  }
  const size_t i = std::lower_bound(season::kLags.begin(), season::kLags.end(), lag) - season::kLags.begin();
  return IsBelieved(i) ? e[i] : kMissing;
}

const LagErrors::Place* LagErrors::Found(int lag) const {
  for (const Place& place : places) {
    if (place.lag == lag) return &place;
  }
  return nullptr;
}

float LagErrors::Error(int lag) const { return IsInBank(lag) ? e[IndexOf(lag)] : Found(lag)->e; }

double LagErrors::ScoreWith(int lag, double error, double dip) const {
  double sum = 0;  // G of 6.8
  int count = 0;   // g
  for (size_t j = 0; j < season::kLagCount && season::kLags[j] < lag; ++j) {
    if (!IsBelieved(j)) continue;
    sum += e[j];
    ++count;
  }
  return sum > 0 ? (error * count / sum + 0.001) * (1 + 0.02 * Octaves(lag)) + dip : NAN;
}

std::optional<double> LagErrors::Score(int lag) const {
  double score = NAN;
  if (IsInBank(lag)) {
    const size_t i = IndexOf(lag);
    const double dip = (i > 0 && IsLess(i - 1, i)) || IsLess(i + 1, i) ? 0.15 : 0;  // 6.11
    if (IsBelieved(i)) score = ScoreWith(lag, e[i], dip);
  } else if (const Place* place = Found(lag)) {
    score = ScoreWith(lag, place->e, 0);
  }
  return std::isnan(score) ? std::nullopt : std::optional(score);
}

Seasons LagErrors::Choose() const {
  std::vector<int> lags(season::kLags.begin(), season::kLags.end());
  for (const Place& place : places) lags.push_back(place.lag);
  const auto best = [&](auto allowed) {
    int least = 0;
    for (int lag : lags) {
      if (lag < 4 || !allowed(lag) || !Score(lag)) continue;
      if (least == 0 || *Score(lag) < *Score(least)) least = lag;
    }
    return least;
  };
  const int a = best([](int) { return true; });
  return {a, a == 0 ? 0 : best([a](int lag) { return IsApart(lag, a); })};
}

double LagErrors::D(const Series& series, int lag, int blocks, int fewest) const {
  float partials[16] = {};
  int present = 0;
  for (int back = 0; back < 16 * std::min(blocks, (1488 - lag) / 16); ++back) {
    const float x = series.Seen(t_ - back), y = series.Seen(t_ - back - lag);
    if (Missing(x) || Missing(y)) continue;
    partials[15 - back % 16] += std::fmin(std::fabs(x - y), 4 * unit);
    ++present;
  }
  return present < fewest ? NAN : double{Join(partials)} / present;
}

double LagErrors::d(const Series& series, int lag) const { return D(series, lag, 30, Clamp(lag / 2, 64, 240)); }

bool LagErrors::IsBetter(const Series& series, int lag, int a, int blocks) const {
  const int m = std::min({blocks, (1488 - lag) / 16, (1488 - a) / 16}), fewest = std::min(64, 16 * m) / 2;
  return D(series, lag, m, fewest) < Part(lag, a) * D(series, a, m, fewest);
}

void LagErrors::Search(const Series& series, int a) {
  if (t_ < 96 || a == 0) return;
  if (tried == 0) return LookOn(series, a);
  if (--left == 0) EndTrial(series, a);
}

void LagErrors::LookOn(const Series& series, int a) {
  const int longest = static_cast<int>(std::min<int64_t>(1248, 2 * (t_ + 1) / 3));
  const int f = next > longest ? 4 : next, l = std::min(f + 15, longest);
  next = l == 1248 ? 4 : l + 1;
  const double gain = Believed(1) / d(series, 1);
  if (!std::isfinite(gain)) return;
  int best = 0;
  double least = INFINITY;
  for (int p = f; p <= l; ++p) {
    const double at = d(series, p), score = ScoreWith(p, at * gain, 0);
    if (d(series, p - 1) < at || d(series, p + 1) < at || IsInBank(p) || Found(p) || !(score < least)) continue;
    best = p;
    least = score;
  }
  if (best == 0 || !(least < Part(best, a) * Score(a).value_or(NAN)) || !IsBetter(series, best, a, 92)) return;
  tried = best;
  left = Trial(best);
}

void LagErrors::EndTrial(const Series& series, int a) {
  const int p = tried;
  tried = 0;
  const double error = d(series, p) * (Believed(1) / d(series, 1));
  if (!IsBetter(series, p, a, Trial(p)) || !std::isfinite(error)) return;
  Place* place = nullptr;
  for (Place& near : places) {
    if (place == nullptr && near.lag != 0 && IsNear(p, near.lag)) place = &near;
  }
  for (Place& empty : places) {
    if (place == nullptr && empty.lag == 0) place = &empty;
  }
  if (place == nullptr) place = *Score(places[0].lag) > *Score(places[1].lag) ? &places[0] : &places[1];
  *place = {p, static_cast<float>(std::min(error, 4.0))};
}

}  // namespace aaren::specification
