#include "tests/model/specification/refinement/second_view.h"

#include <algorithm>
#include <cmath>

namespace aaren::specification {
namespace {

int Log2(int j) {
  int octave = 0;
  while (2 << octave <= j) ++octave;
  return octave;
}

}  // namespace

SecondView::SecondView(const Sizes& sizes, const std::vector<int>& horizons, Prior prior)
    : octaves(1 + Log2(horizons.back()) - Log2(horizons.front())),
      units(sizes.ProbesFor(horizons.back())),
      horizons_(horizons),
      prior_(prior),
      D_(sizes.D),
      Q_(sizes.Q),
      M_(sizes.M) {
  for (const int h : horizons) v.emplace_back(sizes.ProbesFor(h), kMissing);
  b = v;
}

size_t SecondView::OctaveOf(int j) const {
  const int first = Log2(horizons_.front()), last = Log2(horizons_.back());
  return Clamp(Log2(j), first, last) - first;
}

void SecondView::Judge(int64_t p, float unit, const Vector& y, const Vector& mixed, const Vector& view) {
  const double left = 1 - static_cast<double>(D_) / prior_.memory;
  for (auto& [S, g, N, V, B, m] : octaves) {
    for (float* sum : {&S, &g, &N, &V, &B}) *sum = static_cast<float>(*sum * left);
  }
  for (size_t i = 0; i < horizons_.size(); ++i) {
    auto& [S, g, N, V, B, m] = octaves[OctaveOf(horizons_[i])];
    const int64_t k = v[i].size();
    float& kept_v = v[i][p % k];
    float& kept_b = b[i][p % k];
    const double u = p < k ? 0 : units[(p - k) % units.size()];
    if (u > 0 && !Missing(y[i]) && !Missing(kept_v)) {
      const double e = (double{y[i]} - kept_b) / u, d = (double{kept_v} - kept_b) / u;
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
    kept_v = view.empty() ? kMissing : view[i];
    kept_b = mixed[i];
  }
  units[p % units.size()] = unit;
}

double SecondView::Weight(int64_t t, int j) const {
  const auto& [S, g, N, V, B, m] = octaves[OctaveOf(j)];
  const double age = Clamp((static_cast<double>(t + 1) - 200) / 800, 0.0, 1.0);
  double trusted = V > 0 ? 0 : 1;
  if (B > 0) trusted = Clamp((1.1 * B - V) / (0.1 * B), 0.0, 1.0);
  const double share = prior_.share * age * trusted;
  if (S == 0 || N == 0) return share;
  const double prior = prior_.judgements / double{N};
  return Clamp((g + double{S} * prior * share) / (double{S} * (1 + prior)), 0.0, 1.0);
}

float SecondView::Way(double weight, float unit, float view, float median) {
  const double most = 6 * double{unit};
  return ToFloat(weight * Clamp(double{view} - median, -most, most));
}

void SecondView::Move(int64_t t, int j, float unit, float view, float* q) const {
  if (Missing(view)) return;
  const float way = Way(Weight(t, j), unit, view, q[M_]);
  for (int i = 0; i < Q_; ++i) q[i] = ToForecast(q[i] + way);
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
