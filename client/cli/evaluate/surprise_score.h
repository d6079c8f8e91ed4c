#ifndef AAREN_CLIENT_CLI_EVALUATE_SURPRISE_SCORE_H_
#define AAREN_CLIENT_CLI_EVALUATE_SURPRISE_SCORE_H_

// A SurpriseScore says how far surprises are from what forecasts with honest intervals give. A *surprise* is where a
// value fell in the distribution forecast for it, one step ahead, from 0 to 1. Of honest forecasts surprises are
// uniform. An alert at a nominal false-alarm rate of a goes off at a share a of all values, half of them too low, half
// too high.
//
// Threading: plain values and plain functions.

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"

namespace aaren::cli {

struct SurpriseScore {
  double ks = std::numeric_limits<double>::quiet_NaN();      // Kolmogorov-Smirnov distance to uniform
  double alerts = std::numeric_limits<double>::quiet_NaN();  // share of alerts at a nominal 1 %
  uint64_t values = 0;                                       // scored; without any, the others are NaN
};

// NaN, the surprise of a missing value, is passed over.
SurpriseScore ScoreSurprises(const std::vector<double>& surprises);

// Over all series: ks is the mean of theirs, for what one forecasts too wide and another too narrow would cancel in one
// heap; alerts are pooled.
SurpriseScore MeanOf(absl::Span<const SurpriseScore> scores);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_SURPRISE_SCORE_H_
