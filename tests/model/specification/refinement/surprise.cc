#include "tests/model/specification/refinement/surprise.h"

#include <algorithm>

namespace aaren::specification {
namespace {

// 8.6
double Tail(double z, double gap) {
  if (gap == 0) return 0;
  const double r = 1 / (1 + z / gap / 3);
  return r * r * r;
}

double Place(const std::vector<double>& a, const std::vector<double>& q, double x) {
  const size_t last = q.size() - 1;
  const double least_gap = (q[last] - q[0]) / 16;  // 8.5
  const double gap0 = std::max(q[1] - q[0], least_gap), gap1 = std::max(q[last] - q[last - 1], least_gap);
  if (x < q[0]) return a[0] * Tail(q[0] - x, gap0);
  if (x > q[last]) return 1 - (1 - a[last]) * Tail(x - q[last], gap1);
  const size_t i = std::find_if(q.begin(), q.end(), [x](double y) { return y >= x; }) - q.begin();  // 8.9
  if (q[i] == x) {
    size_t k = i;
    while (k < last && q[k + 1] == x) ++k;
    return (a[i] + a[k]) / 2;
  }
  return a[i - 1] + (x - q[i - 1]) / (q[i] - q[i - 1]) * (a[i] - a[i - 1]);
}

// 8.18
double Gaps(double y) {
  double r = 1;
  for (int i = 0; i < 12; ++i) r = r - (r * r * r - y) / (3 * (r * r));
  return 3 * (1 / r - 1);
}

double Quantile(const std::vector<double>& a, const std::vector<double>& q, double p) {
  const size_t last = q.size() - 1;
  const double least_gap = (q[last] - q[0]) / 16;
  for (size_t i = 0; i <= last; ++i) {
    if (a[i] == p) return q[i];
  }
  if (p < a[0]) return q[0] - Gaps(p / a[0]) * std::max(q[1] - q[0], least_gap);
  if (p > a[last]) return q[last] + Gaps((1 - p) / (1 - a[last])) * std::max(q[last] - q[last - 1], least_gap);
  const size_t i = std::upper_bound(a.begin(), a.end(), p) - a.begin();
  return std::min(q[i - 1] + (p - a[i - 1]) / (a[i] - a[i - 1]) * (q[i] - q[i - 1]), q[i]);
}

}  // namespace

SurpriseRange::SurpriseRange(const Series& series, float span, float x) {
  const double half = double{span} / 2;
  double below = 0, equal = 0, above = 0;
  for (int64_t token = series.t; token > series.t - 1487; --token) {
    const float seen = series.Seen(token);
    if (Missing(seen)) continue;
    const double away = double{seen} - x;
    ++(away < -half ? below : away > half ? above : equal);
  }
  const double all = below + equal + above;
  least = static_cast<float>(std::min((below + equal / 2) / all, 0.5));
  most = static_cast<float>(std::max(1 - (above + equal / 2) / all, 0.5));
}

float Surprise(const Vector& a, const Vector& q, float x) {
  if (Missing(x) || Missing(q[0])) return kMissing;
  return static_cast<float>(Place({a.begin(), a.end()}, {q.begin(), q.end()}, x));
}

float QuantileOf(const Vector& a, const Vector& q, float p) {
  return ToForecast(Quantile({a.begin(), a.end()}, {q.begin(), q.end()}, p));
}

}  // namespace aaren::specification
