#ifndef AAREN_MODEL_ENGINE_STATISTICS_H_
#define AAREN_MODEL_ENGINE_STATISTICS_H_

// Statistics is the causal normaliser: the mean and variance of a series' values so far (Welford), which from `history`
// values on forget exponentially. In double, in a fixed order: its bits are part of the exact tier.

#include <algorithm>
#include <cstdint>

namespace aaren {

struct Statistics {
  double mean;
  double variance;  // never negative: history is 2 or more
  uint64_t count;   // n: values seen, at most history

  void Add(double value, uint64_t history) {
    count = std::min(count + 1, history);
    const double n = static_cast<double>(count);
    const double delta = value - mean;
    mean += delta / n;
    variance += (delta * (value - mean) - variance) / n;
  }
};

}  // namespace aaren

#endif  // AAREN_MODEL_ENGINE_STATISTICS_H_
