#include "model/season/gaps.h"

#include <algorithm>
#include <cmath>

namespace aaren::season {
namespace {

// For a normal process whose values a step apart have the correlation r, change^2 / variance is (4 / pi) (1 - r).
constexpr double kPart = 0.785;

}  // namespace

double LikenessOf(double variance, double change) {
  if (!(variance > 0.0) || !(change > 0.0)) return 0.0;
  const double correlation = std::clamp(1.0 - kPart * (change * change) / variance, 0.0, 1.0);
  return correlation * correlation;
}

void BridgeGaps(const float* values, double likeness, size_t count, float* standard) {
  size_t next = 0;  // the place after the newest value present
  for (size_t at = 0; at <= count; ++at) {
    if (at < count && std::isnan(values[at])) continue;
    const size_t missing = at - next;
    if (next > 0 && missing > 0 && missing <= kLongestGap) {
      const double before = standard[next - 1], after = at < count ? standard[at] : before;
      for (size_t i = 1; i <= missing; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(missing + 1);
        standard[next - 1 + i] = static_cast<float>(likeness * (before + (after - before) * share));
      }
    }
    next = at + 1;
  }
}

int MissingSince(const float* newest, int count) {
  int age = 0;
  while (age < count && std::isnan(newest[-age])) ++age;
  return age;
}

}  // namespace aaren::season
