#ifndef AAREN_MODEL_MATH_STATISTICS_H_
#define AAREN_MODEL_MATH_STATISTICS_H_

// Statistics is the causal normaliser: the mean and variance of a series' values so far (Welford), which from `history`
// values on forget exponentially. In double, in a fixed order: its bits are part of the exact tier.
//
// A glitch must not be remembered for a thousand values: a value further than Reach() from the mean counts as if it
// were that far. A new level must: from the fourth such value in a row on they count as they are.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace aaren::math {

struct Statistics {
  double mean;
  double variance;  // never negative: history is 2 or more
  uint32_t count;   // n: values seen since the start, at most history
  uint32_t far;     // values beyond reach until now, without another between; kFarRun - 1 at most

  static constexpr double kReach = 32.0;       // deviations
  static constexpr double kMeanReach = 2.0;    // deviations
  static constexpr double kMostBeside = 4.0;   // times the ring's variance
  static constexpr uint32_t kSettled = 32;     // values before the deviation is believed
  static constexpr uint32_t kFarRun = 4;       // values that make a new level
  static constexpr uint32_t kYoung = 8;        // values within which a series is given some scale of its own
  static constexpr double kFirstSpread = 0.1;  // of one value, as a share of it

  double Reach() const {
    if (count < kSettled || variance == 0.0) return std::numeric_limits<double>::infinity();
    return kReach * std::sqrt(variance);
  }

  // What the scale is taken to be, as a share of the level, before values have shown one; a quarter with each value.
  double Prior() const {
    return count > kYoung ? 0.0 : std::ldexp(kFirstSpread, 2 - 2 * static_cast<int>(std::max(count, 1u)));
  }

  // Whether Add would take this value as it is.
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

  // The variance beside that of a ring with this share of its values present. A series that has calmed down, or moved
  // for good, is not measured by what it was. A ring of equal values, or of few, says nothing.
  double VarianceBeside(double ring, double present) const {
    return ring > 0.0 && present >= 0.5 ? std::min(variance, kMostBeside * ring) : variance;
  }

  // The mean as seen from `center`, in units of `scale`, at most kMeanReach: ordinary series stay within.
  double MeanFrom(double center, double scale) const {
    return std::clamp((mean - center) / scale, -kMeanReach, kMeanReach);
  }
};

}  // namespace aaren::math

#endif  // AAREN_MODEL_MATH_STATISTICS_H_
