#include "tests/model/specification/refinement/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aaren::specification {

Calibration::Calibration(const Sizes& sizes) : sizes_(sizes) {
  for (int h : sizes.tracked) {
    theta.emplace_back(sizes.Q);
    kept.emplace_back(sizes.ProbesFor(h), Vector(sizes.Q, kMissing));
  }
}

void Calibration::Correct(int j, float* q) const {
  const std::vector<int>& K = sizes_.tracked;
  const int Q = sizes_.Q, M = sizes_.M;
  const size_t upper = std::lower_bound(K.begin(), K.end(), j) - K.begin();
  Vector th = theta[upper];
  if (K[upper] != j) {
    const int l = K[upper - 1], u = K[upper];
    const float fraction = static_cast<float>(j - l) / static_cast<float>(u - l);
    const Vector& low = theta[upper - 1];
    for (int i = 0; i < Q; ++i) th[i] = low[i] + fraction * (th[i] - low[i]);  // 7.4
  }
  const float most = std::numeric_limits<float>::max();
  const float spread = std::min(q[Q - 1] - q[0], most);
  for (int i = 0; i < Q; ++i) q[i] = Clamp(q[i] + (th[i] - Clamp(th[i], -0.1f, 0.1f)) * spread, -most, most);
  Order(M, q, Q);
}

void Calibration::Judge(int64_t p, int64_t k, const Series& series, const Vector& mixed) {
  for (size_t i = 0; i < theta.size(); ++i) {
    const int h = sizes_.tracked[i];
    Vector& place = kept[i][p % kept[i].size()];
    const int64_t token = series.t - int64_t{sizes_.ProbesFor(h)} * sizes_.D + h;  // 7.9
    Move(p / k, series.Seen(token), place, theta[i]);
    place.assign(&mixed[(h - 1) * sizes_.Q], &mixed[(h - 1) * sizes_.Q] + sizes_.Q);
    Correct(h, place.data());  // 7.15
  }
}

void Calibration::Shift(double distance) {
  for (std::vector<Vector>& places : kept) {
    for (Vector& forecast : places) {
      for (float& q : forecast) q = Shifted(q, distance);
    }
  }
}

void Calibration::Move(int64_t p, float y, const Vector& forecast, Vector& moved) const {
  if (Missing(y) || Missing(forecast[0])) return;
  const double rate = std::max(0.01, 2.0 / (40.0 + static_cast<double>(p)));
  for (int i = 0; i < sizes_.Q; ++i) {
    if (y == forecast[i]) continue;
    const double a = sizes_.a[i], w = 0.25 / std::max(0.09, a * (1 - a));
    const double grown = moved[i] + rate * w * (y > forecast[i] ? a : a - 1);  // 7.13
    moved[i] = static_cast<float>(Clamp(grown, -0.75, 0.75));
  }
}

}  // namespace aaren::specification
