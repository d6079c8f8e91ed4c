#include "tests/model/specification/refinement/far.h"

#include <algorithm>
#include <cmath>

#include "tests/model/specification/functions.h"
#include "tests/model/specification/series/sources.h"

namespace aaren::specification {
namespace {

Words WordsOf(const std::array<float, 4>& sources, float mean) {
  return {sources[0], sources[1], sources[2], sources[3], mean};
}

// 15.6
float Towards(float f, double miss, double rate) {
  return static_cast<float>(Missing(f) ? miss : f + (miss - f) * rate);
}

// 15.10
Words WeightsOf(const Words& errors, float power) {
  float least = kMissing;
  for (float error : errors) least = std::fmin(least, error);
  Words g;
  for (int w = 0; w < 5; ++w) {
    float ratio = 1e-30f;
    if (!Missing(errors[w])) ratio = errors[w] == least ? 1.0f : std::max(least / errors[w], 1e-30f);
    g[w] = Exp(Log(ratio) * power);
  }
  const float sum = ((g[0] + g[1]) + (g[2] + g[3])) + g[4];
  for (float& weight : g) weight = weight / sum;
  return g;
}

}  // namespace

Far::Far(const Sizes& sizes, bool of_profile) : sizes_(sizes) {
  for (int h : {64, 96, 168, 336, 720}) {
    if (h <= sizes.T) continue;
    Knot knot = {.h = h, .k = sizes.ProbesFor(h), .F = {}, .O = Vector(sizes.Q, kMissing), .medians = {}};
    knot.F.fill(kMissing);
    knot.medians.resize(knot.k, kMissing);
    knots.push_back(knot);
  }
  means.resize(knots.back().k, kMissing);
  choices.resize(knots.back().k);
  std::vector<int> horizons;
  for (const Knot& knot : knots) horizons.push_back(knot.h);
  if (of_profile) half.emplace(sizes, horizons, SecondView::Prior{0.9, 100, 4000});
}

void Far::Choose(int64_t p, const Series& series, Seasons now) {
  seen_.clear();
  for (const Knot& knot : knots) {
    Seen& seen = seen_.emplace_back();
    const int64_t token = series.t - int64_t{knot.k} * sizes_.D;
    const bool made = knot.k <= p && token >= series.t - 1487;
    seen.at_knot = made ? series.Seen(token + knot.h) : kMissing;
    seen.now =
        WordsOf(Sources(series, now, knot.h, {.token = series.t, .far = series.far}), static_cast<float>(series.mean));
    for (int i = 0; i < 4 && made; ++i) {
      const int b = i * sizes_.D / 4;
      const size_t place = (p - knot.k) % means.size();
      const auto sources = Sources(series, choices[place], knot.k * sizes_.D - b, {.token = token, .far = 0});
      seen.y.push_back(series.Seen(series.t - b));
      seen.words.push_back(WordsOf(sources, means[place]));
    }
  }
  means[p % means.size()] = static_cast<float>(series.mean);
  choices[p % choices.size()] = now;
}

void Far::JudgeWords(int64_t n, const Seen& seen, float unit, Knot& knot) const {
  std::array<double, 5> sums = {};
  double left = 0;
  for (size_t i = 0; i < seen.y.size(); ++i) {
    std::array<double, 5> misses;
    for (int w = 0; w < 5; ++w) {
      misses[w] = std::min(std::fabs(double{seen.y[i]} - double{seen.words[i][w]}) / unit, 12.0);
    }
    if (Missing(seen.y[i]) || Missing(seen.words[i][4]) || std::count(misses.begin(), misses.end(), 12.0) == 5)
      continue;
    left += 1;
    for (int w = 0; w < 5; ++w) sums[w] += misses[w];
  }
  if (left == 0) return;
  const double rate = 1 / Clamp(static_cast<double>(n), 1.0, 4000.0 / sizes_.D);
  for (int w = 0; w < 5; ++w) knot.F[w] = Towards(knot.F[w], sums[w] / left, rate);
}

void Far::JudgeQuantiles(int64_t p, int64_t n, const Seen& seen, const NearForecast& near, Knot& knot) const {
  const float kept = knot.medians[p % knot.k];
  if (Missing(seen.at_knot) || Missing(kept)) return;
  const double r = Clamp((double{seen.at_knot} - kept) / near.unit, -12.0, 12.0);
  if (Missing(knot.O[0])) {
    Vector first;
    for (int i = 0; i < sizes_.Q; ++i) {
      first.push_back(static_cast<float>(Clamp(Offset(near, knot.h, i) / double{near.unit}, -24.0, 24.0)));
    }
    knot.O = first;
  }
  knot.F[5] = Towards(knot.F[5], std::fabs(r), 1 / Clamp(static_cast<double>(n), 1.0, 4000.0 / sizes_.D));
  const double pace = std::max(0.12 / std::sqrt(static_cast<double>(knot.k)), 1 / (static_cast<double>(n) + 3));
  const double by = 4 * pace * knot.F[5];
  for (int i = 0; i < sizes_.Q; ++i) {
    const double below = r < knot.O[i] ? 1 : 0;
    knot.O[i] = static_cast<float>(Clamp(knot.O[i] + by * (sizes_.a[i] - below), -24.0, 24.0));
  }
}

void Far::Judge(int64_t p, const NearForecast& near) {
  for (size_t g = 0; g < knots.size(); ++g) {
    const int64_t n = std::max<int64_t>(p + 1 - knots[g].k, 0);
    JudgeWords(n, seen_[g], near.unit, knots[g]);
    JudgeQuantiles(p, n, seen_[g], near, knots[g]);
  }
  const int64_t t = (p + 1) * sizes_.D - 1;
  const std::vector<Words> weights = Weights(t, near);
  Vector y, medians, views;
  for (size_t g = 0; g < knots.size(); ++g) {
    y.push_back(seen_[g].at_knot);
    medians.push_back(ToForecast(Median(weights, near, knots[g].h, seen_[g].now)));
    if (!near.half.empty()) views.push_back(near.half[knots[g].h - 1]);
  }
  if (half) half->Judge(p, near.unit, y, medians, views);
  for (size_t g = 0; g < knots.size(); ++g) {
    knots[g].medians[p % knots[g].k] = ToForecast(Moved(t, near, knots[g].h, medians[g]));
  }
}

double Far::Moved(int64_t t, const NearForecast& near, int j, double median) const {
  if (near.half.empty() || Missing(near.half[j - 1])) return median;
  const double weight = std::min(1.0, (j - sizes_.T) / 8.0) * half->Weight(t, j);
  return median + SecondView::Way(weight, near.unit, near.half[j - 1], ToForecast(median));
}

std::vector<Words> Far::Weights(int64_t t, const NearForecast& near) const {
  const auto power = [&](int k) {
    const float n = static_cast<float>(std::max<int64_t>((t + 1) / sizes_.D - k, 0));
    return 12.0f * n / (n + 2.0f * static_cast<float>(k));
  };
  const std::array<float, 5>& e = near.errors;
  std::vector<Words> weights = {WeightsOf({e[1], e[2], e[3], e[4], kMissing}, power(sizes_.ProbesFor(sizes_.T)))};
  for (const Knot& knot : knots) {
    const auto& F = knot.F;
    const Words before = weights.back();
    weights.push_back(Missing(F[0]) ? before : WeightsOf({F[0], F[1], F[2], F[3], F[4]}, power(knot.k)));
  }
  return weights;
}

double Far::Median(const std::vector<Words>& weights, const NearForecast& near, int j, const Words& words) const {
  const auto step = [&](size_t g) { return g == 0 ? sizes_.T : knots[g - 1].h; };
  size_t g = 0;
  while (g < knots.size() && step(g + 1) <= j) ++g;
  const bool last = g == knots.size();
  const double share = last ? 0 : static_cast<double>(j - step(g)) / static_cast<double>(step(g + 1) - step(g));
  double mixture = 0;
  for (int w = 0; w < 5; ++w) {
    const double w0 = weights[g][w], w1 = last ? w0 : weights[g + 1][w];
    mixture += (w0 + share * (w1 - w0)) * words[w];
  }
  const auto d = [&](int near_step) {
    double mixed = double{weights[0][4]} * near.mean;
    for (int w = 0; w < 4; ++w) mixed += double{weights[0][w]} * near.sources[near_step - 1][w];
    return near.q[(near_step - 1) * sizes_.Q + sizes_.M] - mixed;
  };
  const int count = std::min(24, sizes_.T);
  double level = 0;
  for (int near_step = sizes_.T - count + 1; near_step <= sizes_.T; ++near_step) level += d(near_step);
  level /= count;
  const auto left = [&](double length) { return Exp(static_cast<float>(-static_cast<double>(j - sizes_.T) / length)); };
  return mixture + level * left(192) + (d(sizes_.T) - level) * left(8);
}

float Far::Offset(const NearForecast& near, int j, int i) const {
  const size_t row = (sizes_.T - 1) * sizes_.Q;
  double offset = double{near.q[row + i]} - near.q[row + sizes_.M];
  int h = sizes_.T;
  for (const Knot& knot : knots) {
    if (Missing(knot.O[i])) break;
    const double next = double{knot.O[i]} * near.unit;
    if (knot.h >= j) {
      return ToFloat(offset + (next - offset) * (static_cast<double>(j - h) / static_cast<double>(knot.h - h)));
    }
    offset = next;
    h = knot.h;
  }
  return ToFloat(offset * std::sqrt(std::sqrt(static_cast<double>(j) / static_cast<double>(h))));
}

Vector Far::Quantiles(int64_t t, const NearForecast& near, int j, const std::array<float, 4>& sources) const {
  const double median = Moved(t, near, j, Median(Weights(t, near), near, j, WordsOf(sources, near.mean)));
  Vector q;
  for (int i = 0; i < sizes_.Q; ++i) q.push_back(ToForecast(median + (i == sizes_.M ? 0 : double{Offset(near, j, i)})));
  Order(sizes_.M, q.data(), sizes_.Q);
  return q;
}

void Far::Shift(double distance) {
  for (Knot& knot : knots) {
    for (float& median : knot.medians) median = Shifted(median, distance);
  }
  for (float& mean : means) mean = Shifted(mean, distance);
  if (half) half->Shift(distance);
}

}  // namespace aaren::specification
