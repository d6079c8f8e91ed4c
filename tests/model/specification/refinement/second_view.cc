#include "tests/model/specification/refinement/second_view.h"

#include <algorithm>
#include <cmath>

namespace aaren::specification {

SecondView::SecondView(const Sizes& sizes)
    : octaves(sizes.judged.size()), units(sizes.ProbesFor(sizes.T)), sizes_(sizes) {
  for (const std::vector<int>& octave : sizes.judged) {
    for (const int h : octave) v.emplace_back(sizes.ProbesFor(h), kMissing);
  }
  b = v;
}

void SecondView::Judge(int64_t p, const Series& series, float unit, const Vector& mixed, const Vector& view) {
  const double left = 1 - static_cast<double>(sizes_.D) / 1500;
  size_t place = 0;
  for (size_t o = 0; o < octaves.size(); ++o) {
    auto& [S, g, N, V, B, m] = octaves[o];
    for (float* sum : {&S, &g, &N, &V, &B}) *sum = static_cast<float>(*sum * left);
    for (const int h : sizes_.judged[o]) {
      const int64_t k = sizes_.ProbesFor(h);
      float& kept_v = v[place][p % k];
      float& kept_b = b[place][p % k];
      const double u = p < k ? 0 : units[(p - k) % units.size()];
      const float y = series.Seen(series.t - k * sizes_.D + h);
      if (u > 0 && !Missing(y) && !Missing(kept_v)) {
        const double e = (double{y} - kept_b) / u, d = (double{kept_v} - kept_b) / u;
        const double r = Clamp(e, -12.0, 12.0), f = Clamp(d, -6.0, 6.0);
        const double usual = m + (std::fabs(r) - m) * std::max(1 / (N + 1.0), 0.002);
        const double w = std::max(std::max(std::fabs(r), usual), 1e-4);
        m = static_cast<float>(usual);
        S = static_cast<float>(S + f * f / w);
        g = static_cast<float>(g + f * r / w);
        V = static_cast<float>(V + std::min(std::fabs(e - d), 12.0));
        B = static_cast<float>(B + std::fabs(r));
        N = N + 1;
      }
      kept_v = view.empty() ? kMissing : view[h - 1];
      kept_b = mixed[(h - 1) * sizes_.Q + sizes_.M];
      ++place;
    }
  }
  units[p % units.size()] = unit;
}

double SecondView::Weight(int64_t t, const Octave& octave) const {
  const auto& [S, g, N, V, B, m] = octave;
  const double age = Clamp((static_cast<double>(t + 1) - 200) / 800, 0.0, 1.0);
  double trusted = V > 0 ? 0 : 1;
  if (B > 0) trusted = Clamp((1.1 * B - V) / (0.1 * B), 0.0, 1.0);
  const double share = 0.4 * age * trusted;
  if (S == 0 || N == 0) return share;
  const double prior = 200 / double{N};
  return Clamp((g + double{S} * prior * share) / (double{S} * (1 + prior)), 0.0, 1.0);
}

void SecondView::Move(int64_t t, int j, float unit, float view, float* q) const {
  if (Missing(view)) return;
  size_t octave = 0;
  while (2 << octave <= j) ++octave;
  const double most = 6 * double{unit};
  const float shift = ToFloat(Weight(t, octaves[octave]) * Clamp(double{view} - q[sizes_.M], -most, most));
  for (int i = 0; i < sizes_.Q; ++i) q[i] = ToForecast(q[i] + shift);
}

void SecondView::Shift(double distance) {
  for (std::vector<Vector>* kept : {&v, &b}) {
    for (Vector& places : *kept) {
      for (float& median : places) median = Shifted(median, distance);
    }
  }
  next = Shifted(next, distance);
}

}  // namespace aaren::specification
