#ifndef AAREN_CLIENT_CLI_EVALUATE_SURPRISE_SCORE_H_
#define AAREN_CLIENT_CLI_EVALUATE_SURPRISE_SCORE_H_

// A SurpriseScore measures the distance of surprises from those of forecasts with honest intervals. A *surprise* is
// the place of a value in its forecast distribution, a step ahead, from 0 to 1. Surprises of honest forecasts are
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
  uint64_t values = 0;                                       // scored; without values, ks and alerts are NaN
};

// NaN, the surprise of a missing value, is passed over.
SurpriseScore ScoreSurprises(const std::vector<double>& surprises);

// Over all series: ks is the mean of the series' ks, since in a pool too wide and too narrow forecasts would cancel;
// alerts are pooled.
SurpriseScore MeanOf(absl::Span<const SurpriseScore> scores);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_SURPRISE_SCORE_H_
