#ifndef AAREN_MODEL_MATH_STATISTICS_H_
#define AAREN_MODEL_MATH_STATISTICS_H_

// Statistics is the causal normaliser: the mean and variance of a series' values so far (Welford). From `history`
// values on, older values are forgotten exponentially. The arithmetic is in double and in a fixed order, because the
// bits are part of the exact tier.
//
// A glitch must not be remembered for a thousand values, so a value further than Reach() from the mean counts as a
// value at that distance. A new level must be remembered, so the fourth far value in a row and the following count in
// full.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace aaren::math {

struct Statistics {
  double mean;
  double variance;  // never negative, because history is at least 2
  uint32_t count;   // n: values seen since the start, at most history
  uint32_t far;     // values beyond reach in a row, up to now; at most kFarRun - 1

  static constexpr double kReach = 32.0;       // deviations
  static constexpr double kMeanReach = 2.0;    // deviations
  static constexpr double kMostBeside = 4.0;   // times the ring's variance
  static constexpr uint32_t kSettled = 32;     // values before the deviation is believed
  static constexpr uint32_t kFarRun = 4;       // values that make a new level
  static constexpr uint32_t kYoung = 8;        // values within which Prior() gives a series a scale
  static constexpr double kFirstSpread = 0.1;  // the first value's deviation, as a share of the value

  double Reach() const {
    if (count < kSettled || variance == 0.0) return std::numeric_limits<double>::infinity();
    return kReach * std::sqrt(variance);
  }

  // The deviation assumed before enough values have shown a deviation, as a share of the level. Each value quarters the
  // assumption.
  double Prior() const {
    return count > kYoung ? 0.0 : std::ldexp(kFirstSpread, 2 - 2 * static_cast<int>(std::max(count, 1u)));
  }

  // True if Add would count this value in full.
  bool Believes(double value) const { return std::abs(value - mean) <= Reach() || far + 1 >= kFarRun; }

  void Add(double value, uint64_t history) {
    double delta = value - mean;
    const double reach = Reach();
    if (std::abs(delta) <= reach) {
      far = 0;
    } else if (far + 1 < kFarRun) {
      ++far;
      delta = std::copysign(reach, delta);
    }
    count = static_cast<uint32_t>(std::min<uint64_t>(uint64_t{count} + 1, history));
    const double n = count;
    const double step = delta / n;
    mean += step;
    variance += (delta * (delta - step) - variance) / n;
  }

  // The variance used beside the variance of a ring of the newest values. `present` is the share of the ring's values
  // that are not missing. The ring bounds the variance, so that a series that has calmed down, or moved for good, is
  // not measured by its past. A ring of equal values, or with less than half of its values present, bounds nothing.
  double VarianceBeside(double ring, double present) const {
    return ring > 0.0 && present >= 0.5 ? std::min(variance, kMostBeside * ring) : variance;
  }

  // The mean as seen from `center`, in units of `scale`, clamped to kMeanReach. Ordinary series stay within the bound.
  double MeanFrom(double center, double scale) const {
    return std::clamp((mean - center) / scale, -kMeanReach, kMeanReach);
  }
};

}  // namespace aaren::math

#endif  // AAREN_MODEL_MATH_STATISTICS_H_
