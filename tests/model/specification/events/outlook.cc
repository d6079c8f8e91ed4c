#include "tests/model/specification/events/outlook.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/model/specification/events/doubles.h"
#include "tests/model/specification/functions.h"

namespace aaren::specification::events {
namespace {

bool IsWeibull(size_t k) { return k >= 4 && k < 8; }
bool IsCopy(size_t k) { return k >= 8 && k < 24; }

// E9.2
double NormalDensity(double x) { return DoubleExp((-0.5 * x) * x) / std::sqrt(0x1.921fb54442d18p+2); }

struct Point {
  double below, density;
};

// E9.3
Point TablePoint(double c) {
  double term = std::fabs(c), sum = 0;
  for (int k = 1; k < 400 && term > 0; k += 2) {
    sum = sum + term;
    term = term * ((c * c) / (k + 2));
  }
  const double density = NormalDensity(c), half = std::min(density * sum, 0.5);
  return {c < 0 ? 0.5 - half : 0.5 + half, density};
}

std::array<Point, 129> Table() {
  std::array<Point, 129> points;
  for (size_t i = 0; i < points.size(); ++i) points[i] = TablePoint(static_cast<double>(i) * 0.125 - 8);
  return points;
}

// E9.4, E9.5
double NormalBelow(double x) {
  if (!(x > -8)) return 0;
  if (x >= 8) return 1;
  const double i = std::floor((x + 8) / 0.125 + 0.5), c = i * 0.125 - 8, h = x - c, q = c * c;
  double y = (q * (q - 6) + 3) / 120;
  y = y * h - (c * (q - 3)) / 24;
  y = y * h + (q - 1) / 6;
  y = y * h - c / 2;
  y = y * h + 1;
  static const auto points = Table();
  const Point& point = points[static_cast<size_t>(i)];
  return point.below + (point.density * h) * y;
}

}  // namespace

Outlook::Outlook(const Vector& head, const Places& places, double r) : r(r) {
  const auto present = [&](size_t k) { return !IsCopy(k) || places.present[k - 8]; };
  float most = -std::numeric_limits<float>::infinity(), sum = 0;
  for (size_t k = 0; k < 25; ++k) most = present(k) ? std::max(most, head[k]) : most;
  for (size_t k = 0; k < 25; ++k) {
    weight[k] = present(k) ? Exp(head[k] - most) : 0.0f;
    sum = sum + weight[k];
  }
  for (float& one : weight) one = one / sum;
  for (size_t k = 0; k < 4; ++k) {
    at[k] = head[25 + k];
    spread[k] = Softplus(head[29 + k]) + 0.03f;
    at[4 + k] = head[33 + k];
    spread[4 + k] = Softplus(head[37 + k]) + 0.03f;
  }
  for (size_t j = 0; j < 16; ++j) {
    at[8 + j] = places.ring[j];
    spread[8 + j] = Softplus(head[41]) + 0.03f;
  }
  at[24] = places.after + head[42];
  spread[24] = places.deviation * Exp(Clamp(head[43], -5.0f, 5.0f)) + 0.03f;
  tie = Sigmoid(head[44]);
  doubt = 1.0f / places.intervals;
  float longest = 0;
  for (size_t j = 0; j < 16; ++j) longest = std::max(longest, places.ring[j]);
  const float furthest = (longest + 2.0f) + places.intervals;
  for (float& one : at) one = std::min(one, furthest);
}

double Outlook::Below(double place) const {
  double below = 0;
  for (size_t k = 0; k < 25; ++k) {
    if (IsWeibull(k) || weight[k] == 0) continue;
    below = below + weight[k] * NormalBelow((place - at[k]) / spread[k]);
  }
  for (size_t k = 4; k < 8; ++k) {
    const double left = DoubleExp(-DoubleExp((place - at[k]) / spread[k]));
    below = below + weight[k] * (1 - left);
  }
  return below;
}

double Outlook::Density(double place) const {
  double density = 0;
  for (size_t k = 0; k < 25; ++k) {
    if (IsWeibull(k) || weight[k] == 0) continue;
    density = density + (weight[k] * NormalDensity((place - at[k]) / spread[k])) / spread[k];
  }
  for (size_t k = 4; k < 8; ++k) {
    const double hazard = DoubleExp((place - at[k]) / spread[k]), left = DoubleExp(-hazard);
    density = density + ((weight[k] * hazard) * left) / spread[k];
  }
  return density;
}

double Outlook::PlaceWithin(double gap) const {
  return PlaceOf(DoubleLog(std::max(gap, std::numeric_limits<double>::min())) - r);
}

double Outlook::Within(double gap) const {
  if (!(gap > 0)) return tie;
  const float rest = 1.0f - tie;
  return tie + rest * Below(PlaceWithin(gap));
}

float Outlook::Surprise(double gap, double resolution) const {
  if (!Made()) return kMissing;
  if (resolution > 0) {
    const double below = gap > 0 ? Within(std::max(gap - resolution / 2, 0.0)) : 0;
    return static_cast<float>((below + Within(gap + resolution / 2)) / 2);
  }
  return static_cast<float>(gap > 0 ? Within(gap) : tie / 2.0);
}

double Outlook::Interval(double level) const {
  if (level <= tie) return 0;
  const double wanted = (level - tie) / (1.0f - tie);
  double low = -40, high = 40, place = 0;
  for (int step = 0; step < 100; ++step) {
    const double miss = Below(place) - wanted;
    if (std::fabs(miss) < 1e-9) break;
    (miss < 0 ? low : high) = place;
    const double newton = place - miss / std::max(Density(place), 1e-12);
    place = newton > low && newton < high ? newton : (low + high) / 2;
  }
  return DoubleExp(LogOf(place) + r);
}

double Outlook::LogDensity(double gap) const {
  const double place = PlaceWithin(gap), slope = place > 0 ? 1.0 + doubt : 1.0;
  return DoubleLog(std::max(slope * Density(place), 1e-300));
}

double Outlook::WithinAfter(double silence, double gap) const {
  const double before = std::min(Within(silence), 1 - 1e-7);
  return Clamp((Within(silence + gap) - before) / (1 - before), 0.0, 1.0);
}

double Outlook::IntervalAfter(double silence, double level) const {
  const double before = std::min(Within(silence), 1 - 1e-7);
  return std::max(Interval(before + level * (1 - before)), silence);
}

}  // namespace aaren::specification::events
